/** The user's token, or a function that gets one from your backend and is asked again when that has expired. */
export type TokenSource = string | (() => string | Promise<string>);

export type Tokens = ReturnType<typeof createTokens>;

/** A token this close to its end may expire on the way. */
const MARGIN_MS = 30_000;

/** Holds the user's token in memory, and nowhere else. */
export function createTokens(source: TokenSource) {
  let held: Promise<string> | undefined;

  /** Callers that find the same token used up share one new one. */
  function replace(old: Promise<string> | undefined): Promise<string> {
    if (held !== undefined && held !== old) return held;
    const asked = Promise.resolve(typeof source === 'string' ? source : source());
    held = asked;
    asked.catch(() => {
      if (held === asked) held = undefined;
    });
    return asked;
  }

  async function get(): Promise<string> {
    const before = held;
    if (before !== undefined && (typeof source === 'string' || endOf(await before) - MARGIN_MS > Date.now()))
      return before;
    return replace(before);
  }

  /** Another token than the one that the gateway refused; undefined if there is none. */
  async function getOther(refused: string): Promise<string | undefined> {
    const before = held;
    if (typeof source === 'string' || before === undefined) return undefined;
    const token = (await before) === refused ? await replace(before) : await before;
    return token === refused ? undefined : token;
  }

  return { get, getOther };
}

/** When a JWT expires (RFC 7519 4.1.4); never, if that cannot be read: the gateway is the one to judge. */
function endOf(token: string): number {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp } = JSON.parse(atob(payload));
    return typeof exp === 'number' ? exp * 1000 : Infinity;
  } catch {
    return Infinity;
  }
}
