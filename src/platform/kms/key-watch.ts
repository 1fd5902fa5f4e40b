import type { Chore } from '../chores.ts';
import type { Db } from '../postgres/database.ts';
import { type EncryptionKey, formatEncryptionKeys, type RotatingVault } from '../vault.ts';
import { activateKey, noteHolder } from './wrapped-keys.store.ts';
import type { HeldKey, WrappedKeys } from './wrapped-keys.ts';

const WATCH_MS = 10_000;

/** The one that seals first: the active wrapped key, else a configured one, else what there is. */
export function orderKeys(
  wrapped: readonly HeldKey[],
  configured: readonly EncryptionKey[],
): EncryptionKey[] {
  const isActive = ({ state }: HeldKey) => state === 'active';
  const others = wrapped.filter((key) => !isActive(key));
  return [...wrapped.filter(isActive), ...configured, ...others].map(({ id, key }) => ({ id, key }));
}

export type KeyWatch = ReturnType<typeof createKeyWatch>;

/**
 * Brings new keys into a process that runs, and lets the one that waits seal once all processes hold it: so a key is
 * rotated, and ENCRYPTION_KEYS left, and at no time does a process meet what it cannot open.
 */
export function createKeyWatch(deps: {
  readonly db: Db;
  readonly vault: RotatingVault;
  readonly wrappedKeys: Pick<WrappedKeys, 'load'>;
  readonly processKey: number;
  /** Seals again what older keys sealed. */
  reseal(signal: AbortSignal): Promise<unknown>;
  /** Gets the text of all keys when there is another one, for processes that start later. */
  onNewKeys?: ((encryptionKeys: string) => void) | undefined;
  readonly log: { info(fields: object, message: string): void };
}) {
  const { db, vault, log } = deps;
  const held = new Map<string, EncryptionKey>(vault.listKeys().map((key) => [key.id, key]));

  /** Takes what the store has. Rejects where a new key cannot be unwrapped. Answers the key that waits. */
  async function load(): Promise<HeldKey | undefined> {
    const stored = await deps.wrappedKeys.load(db, held);
    const ids = new Set(stored.map(({ id }) => id));
    const isNew = stored.some(({ id }) => !held.has(id));
    for (const { id, key } of stored) held.set(id, { id, key });
    const keys = orderKeys(
      stored,
      [...held.values()].filter(({ id }) => !ids.has(id)),
    );
    if (keys[0]?.id !== vault.activeKeyId || keys.length !== vault.keyIds.length) vault.replaceKeys(keys);
    if (isNew) deps.onNewKeys?.(formatEncryptionKeys(keys));
    return stored.find(({ state }) => state === 'waiting');
  }

  async function run(signal: AbortSignal): Promise<void> {
    const waiting = await load();
    if (waiting === undefined) return;
    await noteHolder(db, waiting.id, deps.processKey);
    if (!(await activateKey(db, waiting.id))) return;
    log.info({ keyId: waiting.id }, 'a new encryption key seals from now on: every process holds it');
    await load();
    await deps.reseal(signal);
  }

  return {
    /** Before the process serves, and after others can see it. */
    load,
    chore: { name: 'encryption keys', intervalMs: WATCH_MS, runsAtStart: true, run } satisfies Chore,
  };
}
