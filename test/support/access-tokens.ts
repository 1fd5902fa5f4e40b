import type { Knex } from 'knex';
import {
  type AccessTokensDependencies,
  createAccessTokens,
} from '../../src/credentials/refreshing/access-tokens.ts';
import { createRefreshStore } from '../../src/credentials/refreshing/refresh.store.ts';
import type { PreparedRefresh } from '../../src/credentials/refreshing/refresh-attempts.ts';
import type { RefreshOutcome } from '../../src/credentials/refreshing/refresh-result.ts';
import type { Vault } from '../../src/platform/vault.ts';

/** One process that refreshes, on rows of a test database: its own promise sharing, the common rows. */
export function startAccessTokens(
  { db, vault }: { db: Knex; vault: Vault },
  requestRefresh: PreparedRefresh['request'],
  more: Partial<AccessTokensDependencies> = {},
) {
  return createAccessTokens({
    store: createRefreshStore({ db, vault }),
    prepareRefresh: async () => ({ integrationVersion: undefined, request: requestRefresh }),
    revokeOrphaned: async () => undefined,
    recordRefusal: (_state, _reason, change) => change(db),
    enqueue: (_owner, work) => work(),
    log: { warn: () => undefined, error: () => undefined },
    now: Date.now,
    random: () => 0,
    runLater: () => undefined,
    ...more,
  });
}

/** An answer with tokens. */
export function refreshedWith(
  accessToken: string,
  {
    refreshToken = 'refresh-2',
    expiresInSeconds = 1800,
  }: { refreshToken?: string | null; expiresInSeconds?: number } = {},
): Extract<RefreshOutcome, { ok: true }> {
  return {
    ok: true,
    tokens: {
      credentials: { values: { accessToken }, refreshToken },
      expiresInSeconds,
      grantedScopes: null,
      variables: {},
      isTokenKept: false,
    },
  };
}
