import { type ClientTokenError, createClientTokens } from '../../src/credentials/client/client-tokens.ts';
import { refusal, type TokenOutcome } from '../../src/oauth/token-outcome.ts';

const MINUTE_MS = 60_000;
const TARGET = {} as ReturnType<Parameters<ReturnType<typeof createClientTokens>['get']>[0]['tokenTarget']>;

const issued = (accessToken: string, expiresInSeconds: number | null = 3600): TokenOutcome => ({
  ok: true,
  tokens: { accessToken, refreshToken: null, expiresInSeconds, tokenType: 'Bearer', scopes: null, raw: {} },
});

/** Tokens of a provider that gives one after the other, at a time that the test sets. */
function startTokens(answer: (count: number) => TokenOutcome = (count) => issued(`token-${count}`)) {
  let nowMs = 0;
  const asked: (readonly string[])[] = [];
  const tokens = createClientTokens({
    now: () => nowMs,
    tokenEndpoint: {
      clientCredentials: async ({ scopes = [] }) => answer(asked.push(scopes)),
    },
  });
  const of = (id: string, version = 1) => ({ integration: { id, version }, tokenTarget: () => TARGET });
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { tokens, asked, of, wait };
}

describe('a token of an integration’s own client', () => {
  it.each([
    ['an hour', 3600, 59 * MINUTE_MS],
    ['a minute', 60, MINUTE_MS / 2],
    ['an unknown time', null, 4 * MINUTE_MS],
  ])('that lives for %s is asked for again before it ends', async (_, lifeSeconds, usableMs) => {
    const { tokens, asked, of, wait } = startTokens((count) => issued(`token-${count}`, lifeSeconds));
    expect(await tokens.get(of('a'), ['x'])).toBe('token-1');
    wait(usableMs - 1);
    expect(await tokens.get(of('a'), ['x'])).toBe('token-1');
    wait(1);
    expect(await tokens.get(of('a'), ['x'])).toBe('token-2');
    expect(asked).toEqual([['x'], ['x']]);
  });

  it('is one for each integration, version of it and set of scopes', async () => {
    const { tokens, asked, of } = startTokens();
    const got = [
      await tokens.get(of('a'), ['x']),
      await tokens.get(of('a'), ['x', 'y']),
      await tokens.get(of('a', 2), ['x']),
      await tokens.get(of('b'), ['x']),
      await tokens.get(of('a'), ['x']),
    ];
    expect(got).toEqual(['token-1', 'token-2', 'token-3', 'token-4', 'token-1']);
    expect(asked).toHaveLength(4);
  });

  it('is asked for once by calls at the same time', async () => {
    const { tokens, asked, of } = startTokens();
    const both = await Promise.all([tokens.get(of('a'), []), tokens.get(of('a'), [])]);
    expect([both, asked]).toEqual([['token-1', 'token-1'], [[]]]);
  });

  it('is forgotten where the provider refuses it, but not for an older one that was refused', async () => {
    const { tokens, of } = startTokens();
    await tokens.get(of('a'), []);
    tokens.forget(of('a'), [], 'token-0');
    expect(await tokens.get(of('a'), [])).toBe('token-1');
    tokens.forget(of('a'), [], 'token-1');
    expect(await tokens.get(of('a'), [])).toBe('token-2');
    tokens.forget(of('b'), [], 'token-2');
    expect(await tokens.get(of('a'), [])).toBe('token-2');
  });
});

describe('a token that the provider does not give', () => {
  const refusalOf = async (failure: TokenOutcome, scopes: string[] = []) => {
    const { tokens, of } = startTokens((count) => (count === 1 ? failure : issued('later')));
    const error: ClientTokenError = await tokens.get(of('a'), scopes).then(
      () => Promise.reject(new Error('It was given.')),
      (reason) => reason,
    );
    expect(await tokens.get(of('a'), scopes)).toBe('later');
    return error;
  };

  it('may come later where the provider is out of order, and is asked for again', async () => {
    const failure = { ...refusal('transient', 'http_503'), retryAfterMs: 7_000 };
    const error = await refusalOf(failure);
    expect(error).toMatchObject({ name: 'ClientTokenError', isTransient: true, retryAfterMs: 7_000 });
    expect(error.message).toContain('(http_503)');
    expect((await refusalOf(refusal('transient', 'timeout'))).retryAfterMs).toBeNull();
  });

  it.each([
    [['a', 'b'], 'these scopes at the provider: a b.'],
    [[], 'Check client id and client secret'],
  ])('is refused for good with the provider’s words, for the scopes %j: %s', async (scopes, said) => {
    const failure = { ...refusal('client', 'invalid_client'), words: 'Unknown app' };
    const error = await refusalOf(failure, scopes);
    expect(error).toMatchObject({ isTransient: false, retryAfterMs: null });
    expect(error.message).toContain('invalid_client: Unknown app');
    expect(error.message).toContain(said);
  });
});
