import { createOpenConnection } from '../../src/credentials/calling/connection-client.ts';
import { createUserConnections } from '../../src/credentials/calling/user-connections.ts';
import type { CredentialState } from '../../src/credentials/refreshing/credential-state.store.ts';
import type { RefreshResult } from '../../src/credentials/refreshing/refresh-result.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { acmeIntegration, acmeProvider } from '../support/acme-provider.ts';

const HOUR_SECONDS = 3600;
const MARGIN_SECONDS = 900;
const provider = acmeProvider({ refreshBeforeExpirySeconds: MARGIN_SECONDS });

/** Credentials whose access token is `token-<version>`. */
function credentials(version: number, expiresInMs: number = HOUR_SECONDS * 1000): CredentialState {
  return {
    connectionId: 'connection-1',
    projectId: 'project-1',
    integrationId: 'integration-1',
    integrationVersion: 1,
    organizationClientId: null,
    status: 'active',
    variables: {},
    version,
    credentials: { values: { accessToken: `token-${version}` }, refreshToken: 'refresh-1' },
    expiresAt: null,
    expiresInMs,
    lifetimeSeconds: HOUR_SECONDS,
    failures: 0,
    isLeased: false,
    unanswered: 0,
    retryInMs: 0,
    isClientRefused: false,
    answerInMs: 0,
    lastTryInMs: null,
    isLastTrySpent: false,
    refusedForMs: null,
    isTokenKept: false,
  };
}

type Deps = {
  readonly accessTokens: {
    refresh(): Promise<RefreshResult>;
    refreshAfter401(): Promise<RefreshResult | null>;
  };
  readonly refusedCalls: { note(): void; noteDoubt(): void };
  now(): number;
};

/** A proxied call: the token that it is sent with. */
async function proxiedCall(state: CredentialState, deps: Deps) {
  const connections = createUserConnections({
    ...deps,
    providers: { find: () => provider },
    store: {
      noteUnrefreshable: async () => undefined,
      load: async () => ({
        endUserId: 'user-1',
        integrations: [{ id: 'integration-1', provider, values: {} }],
        connections: [{ ...state, endUserId: 'user-1' }],
      }),
    },
    log: { warn: () => undefined },
    random: () => 0,
  });
  const user = { projectId: 'project-1', subject: 'ada' };
  const connection = await connections.resolve({ projectId: 'project-1', provider: 'acme', user });
  return {
    token: async () => (await connections.credential(connection)).values.accessToken,
    async tokensOfRefused() {
      const used = await connections.credential(connection);
      const next = await connections.refreshAfter401(connection, used);
      return [used.values.accessToken, next?.values.accessToken];
    },
  };
}

/** The same of a call that the gateway makes by itself. */
async function ownCall(state: CredentialState, deps: Deps) {
  const open = createOpenConnection({
    ...deps,
    outbound: createOutbound({ allowPrivateNetworks: false }),
    client: {
      findTarget: async () => ({ provider, integration: acmeIntegration() }),
      clientOf: async () => ({ clientId: 'client-1', clientSecrets: [] }),
    },
    readCredentials: async () => state,
  });
  const connection = await open({ connectionId: 'connection-1', projectId: 'project-1' });
  return {
    token: () =>
      connection.ask(
        async ({ accessToken }) => accessToken,
        () => false,
      ),
    async tokensOfRefused() {
      const used: (string | undefined)[] = [];
      await connection.ask(
        async ({ accessToken }) => used.push(accessToken),
        (count) => count === 1,
      );
      return [used[0], used[1]];
    },
  };
}

describe.each([
  ['proxied calls', proxiedCall],
  ['calls of the gateway itself', ownCall],
])('the access token of %s', (_which, prepare) => {
  /** A connection with `token-1`, and refreshes that are answered in the order of `results`. */
  async function start(results: readonly Promise<RefreshResult>[], expiresInMs?: number) {
    let nowMs = 0;
    let asked = 0;
    const refresh = () => results[asked++] ?? Promise.reject(new Error('no more refreshes'));
    const calls = await prepare(credentials(1, expiresInMs), {
      accessTokens: { refresh, refreshAfter401: refresh },
      refusedCalls: { note: () => undefined, noteDoubt: () => undefined },
      now: () => nowMs,
    });
    const pass = (seconds: number) => {
      nowMs += seconds * 1000;
    };
    return { ...calls, pass, askedTimes: () => asked };
  }
  const renewed = (version: number) => Promise.resolve({ ok: true as const, state: credentials(version) });

  it('is refreshed by the margin of its provider, the first one and those that follow', async () => {
    const { token, pass, askedTimes } = await start([renewed(2), renewed(3)]);
    for (const times of [1, 2]) {
      pass(HOUR_SECONDS - MARGIN_SECONDS - 1);
      await token();
      expect(askedTimes()).toBe(times - 1);
      pass(2);
      await token();
      expect(askedTimes()).toBe(times);
      expect(await token()).toBe(`token-${times + 1}`);
    }
  });

  it('stays the newest where refreshes are answered in another order', async () => {
    const older = Promise.withResolvers<RefreshResult>();
    const { token } = await start([older.promise, renewed(3)], -1);
    const first = token();
    expect(await token()).toBe('token-3');
    older.resolve({ ok: true, state: credentials(2) });
    expect([await first, await token()]).toEqual(['token-3', 'token-3']);
  });

  it('that the provider refuses is followed by the next one', async () => {
    const { tokensOfRefused, askedTimes } = await start([renewed(2)]);
    expect([await tokensOfRefused(), askedTimes()]).toEqual([['token-1', 'token-2'], 1]);
  });
});
