/** A credential of a service with its end, as `Date.now()` has it; undefined: it has none. */
export type ShortLived<T> = { readonly value: T; readonly expiresAtMs: number | undefined };

/** A credential with less life than this is asked for again. */
const LEAST_LIFE_MS = 60_000;

/** Asks for a credential once, and again when it ends. A failure is not kept. */
export function keepCredential<T>(
  ask: () => Promise<ShortLived<T>>,
  now: () => number = Date.now,
): () => Promise<T> {
  let kept: ShortLived<T> | undefined;
  return async () => {
    const isGood =
      kept !== undefined && (kept.expiresAtMs === undefined || kept.expiresAtMs - now() > LEAST_LIFE_MS);
    if (kept === undefined || !isGood) kept = await ask();
    return kept.value;
  };
}
