import {
  credentialsContext,
  packCredentials,
  type StoredCredentials,
} from '../../connections/credentials.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import {
  type CredentialRow,
  type CredentialState,
  credentialColumns,
  toCredentialState,
} from './credential-state.store.ts';
import { createLastTries } from './last-tries.store.ts';
import { createRefreshClaims } from './refresh-claims.store.ts';
import { createRefreshFailures } from './refresh-failures.store.ts';
import { inSeconds, SETTLED, selectVersion } from './refresh-rows.store.ts';

export type RefreshedTokens = Readonly<{
  credentials: StoredCredentials;
  expiresInSeconds: number | null;
  grantedScopes: string[] | null;
  /** Those that the answer brought. */
  variables: Record<string, string>;
  /** The provider issued no other refresh token than the one that was sent. */
  isTokenKept: boolean;
}>;

export type RefreshStore = ReturnType<typeof createRefreshStore>;

/**
 * The rows behind `refresh-state.ts`: each function is one of its events, as one conditional statement, and changes
 * nothing where the table has no transition. All times are the store's, so that replicas whose clocks differ agree.
 * Connection ids are unguessable and come from a row that was found within its project.
 */
export function createRefreshStore({
  db,
  vault,
  processKey = null,
}: {
  db: Db;
  vault: Vault;
  /** As announced by this process; null: other processes wait for its leases to run out. */
  processKey?: number | null;
}) {
  const columns = credentialColumns(db);

  async function read(connectionId: string, projectId: string): Promise<CredentialState | undefined> {
    const row = await db('connections')
      .where({ id: connectionId, project_id: projectId })
      .first<CredentialRow>(columns);
    return row && toCredentialState(vault, row);
  }

  /**
   * `tokens`: stores them if no other change came first; undefined means that another one stands. A late answer of any
   * process counts like one in time, also after a refusal of a later request. `ageSeconds`: since the answer came.
   */
  async function complete(
    state: CredentialState,
    tokens: RefreshedTokens,
    ageSeconds = 0,
  ): Promise<CredentialState | undefined> {
    const context = credentialsContext(state.connectionId, state.projectId);
    const { expiresInSeconds } = tokens;
    const [row] = await selectVersion(db, state)
      .update({
        ...SETTLED,
        credentials_sealed: vault.seal(packCredentials(tokens.credentials), context),
        credentials_version: db.raw('credentials_version + 1'),
        access_token_expires_at:
          expiresInSeconds === null ? null : inSeconds(db, expiresInSeconds - ageSeconds),
        access_token_lifetime_seconds: expiresInSeconds,
        ...(tokens.grantedScopes !== null && { granted_scopes: tokens.grantedScopes }),
        // Merged, since the tenant of the connection may have been changed meanwhile.
        variables: db.raw('variables || ?::jsonb', [JSON.stringify(tokens.variables)]),
        refresh_token_kept: tokens.isTokenKept,
        refreshed_at: db.fn.now(),
        refresh_heard_at: db.fn.now(),
        refresh_status: 200,
        refresh_error: null,
        refresh_words: null,
        version: db.raw(`version + (status <> 'active')::integer`),
        status: 'active',
        status_reason: null,
        updated_at: db.fn.now(),
      })
      .returning<CredentialRow[]>(columns);
    return row && toCredentialState(vault, row);
  }

  /** `correction`: the client's connections may be refreshed at once, whatever their last requests were answered. */
  async function endWaiting(
    trx: Db,
    integration: { id: string; projectId: string; organizationClientId?: string },
  ): Promise<void> {
    const { organizationClientId = null } = integration;
    await trx('connections')
      .where({ integration_id: integration.id, project_id: integration.projectId })
      .whereRaw('organization_client_id IS NOT DISTINCT FROM ?::uuid', [organizationClientId])
      .whereNotNull('refresh_retry_at')
      .update({ refresh_client_refused: false, refresh_retry_at: null });
  }

  /** True where the provider has accepted the integration's client for another connection within that time. */
  async function isClientProven(state: CredentialState, withinMs: number): Promise<boolean> {
    const row = await db('connections')
      .where({ integration_id: state.integrationId, project_id: state.projectId })
      .whereNot({ id: state.connectionId })
      .whereRaw('organization_client_id IS NOT DISTINCT FROM ?::uuid', [state.organizationClientId])
      .whereRaw('refreshed_at > now() - make_interval(secs => ?)', [withinMs / 1000])
      .first('id');
    return row !== undefined;
  }

  return {
    read,
    ...createRefreshClaims({ db, vault, processKey }),
    ...createLastTries({ db }),
    complete,
    ...createRefreshFailures({ db }),
    endWaiting,
    isClientProven,
  };
}
