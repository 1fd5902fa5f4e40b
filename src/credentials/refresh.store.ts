import {
  credentialsContext,
  packCredentials,
  type StoredCredentials,
  unpackCredentials,
} from '../connections/credentials.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';

/** Longer than every token request with its one repetition (2 × 10 s), so that a lease never ends under its owner. */
const LEASE_SECONDS = 30;
/** A caller that sends bad requests must not burn one-use tokens: one forced refresh a minute and connection. */
const FORCED_REFRESH_PAUSE_SECONDS = 60;

/** A connection's credentials as they stand now, opened. */
export type CredentialState = Readonly<{
  connectionId: string;
  projectId: string;
  integrationId: string;
  integrationVersion: number;
  version: number;
  status: 'active' | 'reauthorization_required';
  credentials: StoredCredentials;
  variables: Record<string, string>;
  expiresAt: Date | null;
  lifetimeSeconds: number | null;
  failures: number;
  /** Milliseconds until the next attempt is allowed after failures; 0 when one is allowed now. By the store's clock. */
  retryInMs: number;
  /** The last attempt failed because the provider refuses the integration's client. */
  isClientRefused: boolean;
  isLeased: boolean;
}>;

export type RefreshedTokens = Readonly<{
  credentials: StoredCredentials;
  expiresInSeconds: number | null;
  grantedScopes: string[] | null;
  variables: Record<string, string>;
}>;

type Row = {
  id: string;
  project_id: string;
  integration_id: string;
  integration_version: number;
  status: 'active' | 'reauthorization_required';
  variables: Record<string, string>;
  credentials_sealed: string;
  credentials_version: number;
  access_token_expires_at: Date | null;
  access_token_lifetime_seconds: number | null;
  refresh_failures: number;
  refresh_client_refused: boolean;
  retry_in_ms: number;
  is_leased: boolean;
};

export type RefreshStore = ReturnType<typeof createRefreshStore>;

/**
 * The lease and the compare-and-swap behind "refreshed once". All times are the store's, so that replicas whose
 * clocks differ agree. Connection ids are unguessable and come from a row that was found within its project.
 */
export function createRefreshStore({ db, vault }: { db: Db; vault: Vault }) {
  const columns = [
    'id',
    'project_id',
    'integration_id',
    'status',
    'variables',
    'credentials_sealed',
    'credentials_version',
    'access_token_expires_at',
    'access_token_lifetime_seconds',
    'refresh_failures',
    'refresh_client_refused',
    db.raw(
      `greatest(0, coalesce(extract(epoch FROM refresh_retry_at - now()) * 1000, 0))::integer AS retry_in_ms`,
    ),
    db.raw(`coalesce(refresh_lease_until > now(), false) AS is_leased`),
    db.raw(
      `(SELECT i.version FROM integrations i
        WHERE i.project_id = connections.project_id AND i.id = connections.integration_id) AS integration_version`,
    ),
  ];

  function fromRow(row: Row): CredentialState {
    const opened = vault.open(row.credentials_sealed, credentialsContext(row.id, row.project_id));
    return {
      connectionId: row.id,
      projectId: row.project_id,
      integrationId: row.integration_id,
      integrationVersion: row.integration_version,
      version: row.credentials_version,
      status: row.status,
      credentials: unpackCredentials(opened),
      variables: row.variables,
      expiresAt: row.access_token_expires_at,
      lifetimeSeconds: row.access_token_lifetime_seconds,
      failures: row.refresh_failures,
      retryInMs: Number(row.retry_in_ms),
      isClientRefused: row.refresh_client_refused,
      isLeased: row.is_leased,
    };
  }

  async function read(connectionId: string, projectId: string): Promise<CredentialState | undefined> {
    const row = await db('connections')
      .where({ id: connectionId, project_id: projectId })
      .first<Row>(columns);
    return row && fromRow(row);
  }

  /**
   * Takes the lease, if nobody has it and the credentials are still of `version`. This write is also the proof,
   * before a one-use refresh token is spent, that the store can be written to.
   */
  async function lease(
    connectionId: string,
    projectId: string,
    version: number,
    owner: string,
  ): Promise<CredentialState | undefined> {
    const [row] = await db('connections')
      .where({ id: connectionId, project_id: projectId, credentials_version: version, status: 'active' })
      .whereRaw('(refresh_lease_until IS NULL OR refresh_lease_until < now())')
      .whereRaw('(refresh_retry_at IS NULL OR refresh_retry_at <= now())')
      .update({
        refresh_lease_owner: owner,
        refresh_lease_until: db.raw(`now() + make_interval(secs => ${LEASE_SECONDS})`),
      })
      .returning(columns);
    return row && fromRow(row);
  }

  const leased = (on: Db, state: CredentialState, owner: string) =>
    on('connections').where({
      id: state.connectionId,
      project_id: state.projectId,
      credentials_version: state.version,
      refresh_lease_owner: owner,
    });

  const released = {
    refresh_lease_owner: null,
    refresh_lease_until: null,
  };

  /** Stores refreshed tokens if nothing changed meanwhile; false means that somebody else's change stands. */
  async function complete(state: CredentialState, owner: string, tokens: RefreshedTokens): Promise<boolean> {
    const sealed = vault.seal(
      packCredentials(tokens.credentials),
      credentialsContext(state.connectionId, state.projectId),
    );
    const changed = await leased(db, state, owner).update({
      ...released,
      credentials_sealed: sealed,
      credentials_version: db.raw('credentials_version + 1'),
      access_token_expires_at:
        tokens.expiresInSeconds === null
          ? null
          : db.raw('now() + make_interval(secs => ?)', [tokens.expiresInSeconds]),
      access_token_lifetime_seconds: tokens.expiresInSeconds,
      ...(tokens.grantedScopes !== null && { granted_scopes: tokens.grantedScopes }),
      variables: tokens.variables,
      refresh_failures: 0,
      refresh_client_refused: false,
      refresh_retry_at: null,
      status_reason: null,
      updated_at: db.fn.now(),
    });
    return changed > 0;
  }

  /**
   * Ends the lease after a failure that may pass, and says when the next attempt is allowed: at once where the refused
   * client is that of an integration changed meanwhile.
   */
  async function postpone(
    state: CredentialState,
    owner: string,
    { reason, delayMs, isClientRefused }: { reason: string; delayMs: number; isClientRefused: boolean },
  ): Promise<void> {
    await db.transaction(async (trx) => {
      const isOutdated = isClientRefused && !(await isUnchanged(trx, state));
      await leased(trx, state, owner).update({
        ...released,
        refresh_failures: db.raw('refresh_failures + 1'),
        refresh_client_refused: isClientRefused && !isOutdated,
        refresh_retry_at: isOutdated ? null : db.raw(`now() + make_interval(secs => ?)`, [delayMs / 1000]),
        status_reason: reason,
      });
    });
  }

  /** Whether the integration is as it was at the lease. Until the transaction ends, changes of it wait. */
  async function isUnchanged(trx: Db, state: CredentialState): Promise<boolean> {
    const row = await trx('integrations')
      .where({ id: state.integrationId, project_id: state.projectId })
      .forShare()
      .first<{ version: number }>('version');
    return row?.version === state.integrationVersion;
  }

  /** The refresh token is dead: one change of state, however many callers saw it. */
  async function giveUp(trx: Db, state: CredentialState, owner: string, reason: string): Promise<boolean> {
    const changed = await leased(trx, state, owner).update({
      ...released,
      status: 'reauthorization_required',
      status_reason: reason,
      version: db.raw('version + 1'),
      updated_at: db.fn.now(),
    });
    return changed > 0;
  }

  /**
   * True where the provider's refusal of `version` may lead to a refresh: once a minute per connection, for every
   * caller of a burst that saw the same version refused.
   */
  async function claimForcedRefresh(
    connectionId: string,
    projectId: string,
    version: number,
  ): Promise<boolean> {
    const changed = await db('connections')
      .where({ id: connectionId, project_id: projectId, credentials_version: version, status: 'active' })
      .whereRaw(
        `(forced_refresh_at IS NULL OR forced_refresh_version = credentials_version
          OR forced_refresh_at < now() - make_interval(secs => ${FORCED_REFRESH_PAUSE_SECONDS}))`,
      )
      .update({ forced_refresh_at: db.fn.now(), forced_refresh_version: version });
    return changed > 0;
  }

  /** Lets the integration's connections be refreshed at once, whatever their last attempts were answered. */
  async function endWaiting(trx: Db, integration: { id: string; projectId: string }): Promise<void> {
    await trx('connections')
      .where({ integration_id: integration.id, project_id: integration.projectId })
      .whereNotNull('refresh_retry_at')
      .update({ refresh_client_refused: false, refresh_retry_at: null });
  }

  return { read, lease, complete, postpone, giveUp, claimForcedRefresh, endWaiting };
}
