import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import { type ConnectSession, fromRow, type NewConnectSession, type TimedRow } from './connect-session.ts';
import { createPendingGrants, HOLDING_GRANTS } from './pending-grants.store.ts';
import { RETRYABLE_ERRORS } from './refusals.ts';
import { createSessionAuthorizations, isExpired, selectLive } from './session-authorizations.store.ts';

/** As long as the diagnosis looks back at most. */
const KEPT_DAYS = 31;

/** A session as who completes it needs it. */
export type LockedSession = {
  readonly session: ConnectSession;
  readonly isExpired: boolean;
  readonly completionCodeHash: Buffer | null;
  /** What the API key that made it has in common with those that it was rotated from and to; null: no key made it. */
  readonly makerLineageId: string | null;
};

export type ConnectSessionsStore = ReturnType<typeof createConnectSessionsStore>;

/** SQL over connect sessions. Every step is one conditional statement, so that two racing requests cannot both win. */
export function createConnectSessionsStore({ vault }: { vault: Vault }) {
  async function insert(db: Db, session: NewConnectSession): Promise<ConnectSession> {
    const [row] = await db('connect_sessions').insert(toNewRow(db, session)).returning('*');
    return fromRow(row);
  }

  /** The session behind a link, whatever its state, expired ones included. The token itself is the authority. */
  async function findByTokenOfAnyProject(
    db: Db,
    tokenHash: Buffer,
  ): Promise<(ConnectSession & { isExpired: boolean }) | undefined> {
    const row = await db('connect_sessions')
      .where({ token_hash: tokenHash })
      .first<TimedRow>(['*', isExpired(db)]);
    return row && { ...fromRow(row), isExpired: row.is_expired };
  }

  /** The same by id, for its own browser, whose cookie is the authority. */
  async function findOfAnyProject(
    db: Db,
    id: string,
  ): Promise<(ConnectSession & { isExpired: boolean }) | undefined> {
    const row = await db('connect_sessions')
      .where({ id })
      .first<TimedRow>(['*', isExpired(db)]);
    return row && { ...fromRow(row), isExpired: row.is_expired };
  }

  /** Opens a session again of which nothing has come, for the browser that it is bound to. False where it is too late. */
  async function reopen(db: Db, session: ConnectSession): Promise<boolean> {
    const changed = await selectLive(db)
      .where({ id: session.id, project_id: session.projectId, state: 'failed' })
      .where({ browser_hash: session.browserHash })
      .whereIn('error_code', RETRYABLE_ERRORS)
      .update({ state: 'opened', error_code: null, oauth_state_hash: null });
    return changed > 0;
  }

  /**
   * Binds the session to the browser that opened it; the first one wins. A session of kind `link` may be bound again
   * while nothing has come of it, because mail scanners open links before people do.
   */
  async function bindBrowser(db: Db, session: ConnectSession, browserHash: Buffer): Promise<boolean> {
    const changed = await selectLive(db)
      .where({ id: session.id, project_id: session.projectId })
      .whereIn('state', session.completion === 'link' ? ['created', 'opened', 'authorizing'] : ['created'])
      .update({ browser_hash: browserHash, state: 'opened', oauth_state_hash: null });
    return changed > 0;
  }

  /** The language that the link asked for, for the pages after the provider's own. */
  async function setLocale(db: Db, { id, projectId }: ConnectSession, locale: string): Promise<void> {
    await selectLive(db).where({ id, project_id: projectId }).update({ locale });
  }

  async function chooseIntegration(db: Db, session: ConnectSession, integrationId: string): Promise<void> {
    await selectLive(db)
      .where({ id: session.id, project_id: session.projectId, state: 'opened', integration_id: null })
      .update({ integration_id: integrationId });
  }

  /**
   * Ends a session of which nothing has come. A grant that another authorization of the same session brought stays
   * where it is, for its user to complete or for the sweep to revoke. A grant whose tenant was being chosen is erased.
   * False where the session has ended otherwise.
   */
  async function fail(db: Db, { id, projectId }: ConnectSession, errorCode: string): Promise<boolean> {
    const changed = await db('connect_sessions')
      .where({ id, project_id: projectId })
      .whereIn('state', ['created', 'opened', 'authorizing', 'choosing'])
      .update({
        state: 'failed',
        error_code: errorCode,
        pkce_verifier_sealed: null,
        pending_sealed: null,
        granted_account_id: null,
        granted_account_name: null,
      });
    return changed > 0;
  }

  /**
   * Ends the project's open sessions that would bring their user, or what the closing page tells, to an address that is not
   * registered any more, and forgets the address. The sweep revokes the grants that wait in them.
   */
  async function expireAt(
    trx: Db,
    projectId: string,
    { origins, returnUrls }: { readonly origins: readonly string[]; readonly returnUrls: readonly string[] },
  ): Promise<void> {
    await selectLive(trx)
      .where({ project_id: projectId })
      .where((address) => address.whereIn('origin', origins).orWhereIn('return_url', returnUrls))
      .update({
        expires_at: trx.fn.now(),
        origin: trx.raw('CASE WHEN origin <> ALL (?::text[]) THEN origin END', [[...origins]]),
        return_url: trx.raw('CASE WHEN return_url <> ALL (?::text[]) THEN return_url END', [[...returnUrls]]),
      });
  }

  /** Locks a project's session until the transaction ends. */
  async function lock(trx: Db, id: string, projectId: string): Promise<LockedSession | undefined> {
    const row = await trx('connect_sessions')
      .where({ id, project_id: projectId })
      .forUpdate()
      .first<TimedRow & { maker_lineage_id: string | null }>(['*', isExpired(trx), makerLineage(trx)]);
    if (row === undefined) return undefined;
    const {
      is_expired: isLate,
      completion_code_hash: completionCodeHash,
      maker_lineage_id: makerLineageId,
    } = row;
    return { session: fromRow(row), isExpired: isLate, completionCodeHash, makerLineageId };
  }

  /**
   * Empties sessions that ended or expired a day ago: only how far they got stays, for the diagnosis. After a month they
   * are forgotten.
   */
  async function purgeOfAnyProject(db: Db): Promise<void> {
    await db('connect_sessions')
      .where('expires_at', '<', db.raw(`now() - interval '1 day'`))
      .whereNotIn('state', HOLDING_GRANTS)
      .whereNotNull('browser_hash')
      .update({
        browser_hash: null,
        oauth_state_hash: null,
        answered_state_hash: null,
        pkce_verifier_sealed: null,
        completion_code_hash: null,
        variables: {},
        application_variables: {},
      });
    await db('connect_sessions')
      .where('expires_at', '<', db.raw(`now() - interval '${KEPT_DAYS} days'`))
      .whereNotIn('state', HOLDING_GRANTS)
      .delete();
  }

  return {
    insert,
    findByTokenOfAnyProject,
    findOfAnyProject,
    reopen,
    bindBrowser,
    setLocale,
    chooseIntegration,
    fail,
    expireAt,
    lock,
    purgeOfAnyProject,
    ...createSessionAuthorizations({ vault }),
    ...createPendingGrants({ vault }),
  };
}

const makerLineage = (db: Db) =>
  db.raw(`(SELECT coalesce(k.lineage_id, k.id) FROM api_keys AS k
    WHERE made_by_kind = 'api_key' AND k.id = made_by_id AND k.project_id = connect_sessions.project_id) AS maker_lineage_id`);

function toNewRow(db: Db, session: NewConnectSession) {
  return {
    id: newId(),
    project_id: session.projectId,
    end_user_id: session.endUserId,
    person_id: session.personId,
    tags: JSON.stringify(session.tags),
    integration_id: session.integrationId,
    integration_ids: session.integrationIds && [...session.integrationIds],
    connection_id: session.connectionId,
    tenant_id: session.tenantId,
    application_variables: session.applicationVariables,
    token_hash: session.tokenHash,
    origin: session.origin,
    return_url: session.returnUrl,
    locale: session.locale,
    display: session.display,
    allow_multiple: session.allowMultiple,
    completion: session.completion,
    made_by_kind: session.madeByKind,
    made_by_id: session.madeById,
    made_by_token_id: session.madeByTokenId,
    state: 'created',
    expires_at: db.raw(`now() + make_interval(secs => ?)`, [session.lifetimeSeconds]),
  };
}
