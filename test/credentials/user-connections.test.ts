import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Catalog, loadCatalog } from '../../src/catalog/loading/catalog.ts';
import { createUserConnections } from '../../src/credentials/calling/user-connections.ts';
import type { AccessTokens } from '../../src/credentials/refreshing/access-tokens.ts';
import type { CredentialState } from '../../src/credentials/refreshing/credential-state.store.ts';
import type { RefreshResult } from '../../src/credentials/refreshing/refresh-result.ts';
import { plainProviderFile } from '../support/held-provider.ts';

const PROJECT_ID = '0192f0c8-0000-7000-8000-000000000001';
const CHOICE = { projectId: PROJECT_ID, provider: 'acme', user: { projectId: PROJECT_ID, subject: 'ada' } };

let directory: string;
let catalog: Catalog;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-user-connections-'));
  await writeFile(join(directory, 'acme.yaml'), plainProviderFile('acme', 'http://127.0.0.1:1'));
  catalog = loadCatalog({ builtInDirectory: directory, allowPrivateNetworks: true });
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** One connection whose access token `token-1` has `leftMs` to live, and a token endpoint that does `refresh`. */
function start(
  leftMs: number,
  refresh: () => Promise<RefreshResult>,
  now: () => number = Date.now,
  refreshToken: string | null = 'refresh-1',
) {
  const ends: string[] = [];
  let isStoreAway = false;
  const asked: string[] = [];
  const accessTokens: Pick<AccessTokens, 'refresh' | 'refreshAfter401'> = {
    refresh: ({ connectionId }) => {
      asked.push(connectionId);
      return refresh();
    },
    refreshAfter401: async () => null,
  };
  const connections = createUserConnections({
    refusedCalls: { note: () => undefined, noteDoubt: () => undefined },
    providers: { find: (_projectId, id) => catalog.find(id) },
    accessTokens,
    store: {
      noteUnrefreshable: async ({ connectionId }) => void ends.push(connectionId),
      load: async (_projectId, _subject, entry) => {
        if (isStoreAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
        return {
          endUserId: 'user-1',
          integrations: [{ id: 'integration-1', provider: entry, values: {} }],
          connections: [
            {
              connectionId: 'connection-1',
              endUserId: 'user-1',
              integrationId: 'integration-1',
              status: 'active',
              variables: {},
              credentials: { values: { accessToken: 'token-1' }, refreshToken },
              version: 1,
              expiresInMs: leftMs,
              lifetimeSeconds: 3600,
            },
          ],
        };
      },
    },
    log: { warn() {} },
    now,
    random: Math.random,
  });
  const accessToken = async () =>
    (await connections.credential(await connections.resolve(CHOICE))).values.accessToken;
  const loseStore = () => {
    isStoreAway = true;
  };
  return { accessToken, asked, ends, connections, loseStore };
}

const never = () => new Promise<RefreshResult>(() => undefined);

describe('an access token about to expire, with a token endpoint that does not answer', () => {
  it('is served while it is valid, and calls after the first do not wait', async () => {
    const { accessToken, asked } = start(2_000, never);
    expect(await accessToken()).toBe('token-1');
    expect(await accessToken()).toBe('token-1');
    expect(asked).toEqual(['connection-1']);
  });
});

describe('an access token about to expire, with a token endpoint that fails', () => {
  it('is served while it is valid, and the token endpoint is not asked for every call', async () => {
    const { accessToken, asked } = start(10_000, async () => ({ ok: false, code: 'refresh_unavailable' }));
    expect(await accessToken()).toBe('token-1');
    expect(await accessToken()).toBe('token-1');
    expect(asked).toEqual(['connection-1']);
  });

  it('is not served any more once the grant is known to be dead', async () => {
    const { accessToken } = start(10_000, async () => ({ ok: false, code: 'reauthorization_required' }));
    await expect(accessToken()).rejects.toMatchObject({
      code: 'reauthorization_required',
      extra: { connectionId: 'connection-1' },
    });
  });
});

describe('an access token that no other one follows', () => {
  it('goes to the provider, which judges it, and its end is told once', async () => {
    let nowMs = Date.now();
    const { accessToken, asked, ends } = start(10_000, never, () => nowMs, null);
    expect([await accessToken(), ends]).toEqual(['token-1', []]);
    nowMs += 11_000;
    for (let call = 0; call < 3; call += 1) expect(await accessToken()).toBe('token-1');
    expect([asked, ends]).toEqual([[], ['connection-1']]);
  });
});

describe('an access token that has expired, with a token endpoint that fails', () => {
  it('is not served', async () => {
    const { accessToken } = start(-1, async () => ({
      ok: false,
      code: 'refresh_unavailable',
      retryAfterSeconds: 7,
    }));
    await expect(accessToken()).rejects.toMatchObject({
      code: 'refresh_unavailable',
      headers: { 'Retry-After': '7' },
    });
  });
});

describe('an access token at the very moment at which it expires', () => {
  it('is not served', async () => {
    const nowMs = Date.now();
    const { accessToken } = start(
      0,
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return { ok: false, code: 'refresh_unavailable' };
      },
      () => nowMs,
    );
    await expect(accessToken()).rejects.toMatchObject({ code: 'refresh_unavailable' });
  });
});

describe('a refresh that tells of an older credential than the one in memory', () => {
  it('leaves the newer one in use', async () => {
    const older: Partial<CredentialState> = {
      version: 0,
      credentials: { values: { accessToken: 'token-0' }, refreshToken: null },
      variables: {},
      expiresInMs: 3_600_000,
      lifetimeSeconds: 3600,
    };
    const { accessToken } = start(10_000, async () => ({ ok: true, state: older as CredentialState }));
    expect([await accessToken(), await accessToken()]).toEqual(['token-1', 'token-1']);
  });
});

describe('a clock that is ahead of the store by more than a token lives', () => {
  it('has no token refreshed that the store calls good', async () => {
    const { accessToken, asked } = start(3_600_000, never, () => Date.now() + 86_400_000);
    expect([await accessToken(), await accessToken()]).toEqual(['token-1', 'token-1']);
    expect(asked).toEqual([]);
  });
});

describe('while the store is away', () => {
  it('a connection in memory serves, and one that is not there is 503 instead of a refusal from memory', async () => {
    const { accessToken, connections, loseStore } = start(3_600_000, never);
    expect(await accessToken()).toBe('token-1');
    loseStore();
    expect(await accessToken()).toBe('token-1');
    const other = async () => connections.resolve({ ...CHOICE, connectionId: 'connection-2' });
    await expect(other()).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  const newer: Partial<CredentialState> = {
    version: 2,
    credentials: { values: { accessToken: 'token-2' }, refreshToken: null },
    variables: {},
    expiresInMs: 3_600_000,
    lifetimeSeconds: 3600,
  };
  const renewed = async (): Promise<RefreshResult> => ({ ok: true, state: newer as CredentialState });
  const notice = { endUserId: 'user-1', connectionId: 'connection-1' };

  it('a connection serves whose refresh by this process was announced, with its new token', async () => {
    for (const isEarly of [true, false]) {
      const { accessToken, connections, loseStore } = start(0, async () => {
        if (isEarly) connections.invalidate(PROJECT_ID, notice);
        return renewed();
      });
      expect(await accessToken()).toBe('token-2');
      if (!isEarly) connections.invalidate(PROJECT_ID, notice);
      loseStore();
      expect(await accessToken()).toBe('token-2');
    }
  });

  it.each([
    ['came beside that of the refresh', [notice, notice]],
    ['names no connection', [{ endUserId: 'user-1' }]],
    ['is about another one', [{ ...notice, connectionId: 'connection-2' }]],
  ])('a connection does not serve whose change %s', async (_which, changes) => {
    const { accessToken, connections, loseStore } = start(0, renewed);
    expect(await accessToken()).toBe('token-2');
    for (const change of changes) connections.invalidate(PROJECT_ID, change);
    loseStore();
    await expect(accessToken()).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('a connection does not serve whose change came while a refresh failed', async () => {
    const { accessToken, connections, loseStore } = start(10_000, async () => {
      connections.invalidate(PROJECT_ID, notice);
      return { ok: false, code: 'refresh_unavailable' };
    });
    expect(await accessToken()).toBe('token-1');
    loseStore();
    await expect(accessToken()).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
