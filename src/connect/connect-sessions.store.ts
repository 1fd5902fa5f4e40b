import { z } from 'zod';
import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import {
  type ConnectSession,
  type ConnectSessionRow,
  fromRow,
  type NewConnectSession,
  type TimedRow,
} from './connect-session.ts';
import { createPendingGrants, HOLDING_GRANTS } from './pending-grants.store.ts';

/** What the flow needs back at the callback and must not stand in plain: the PKCE verifier and secret variables. */
const flowSecrets = z.object({
  codeVerifier: z.string(),
  secretVariables: z.record(z.string(), z.string()),
  /** Of OAuth 1.0a, while the user is asked. */
  temporaryToken: z.object({ key: z.string(), secret: z.string() }).optional(),
});
export type FlowSecrets = z.infer<typeof flowSecrets>;

/** As long as the diagnosis looks back at most. */
const KEPT_DAYS = 31;

export type ConnectSessionsStore = ReturnType<typeof createConnectSessionsStore>;

/** SQL over connect sessions. Every step is one conditional statement, so that two racing requests cannot both win. */
export function createConnectSessionsStore({ vault }: { vault: Vault }) {
  const context = (rowId: string, projectId: string) => ({
    table: 'connect_sessions',
    column: 'pkce_verifier_sealed',
    rowId,
    projectId,
  });
  const live = (db: Db) => db<ConnectSessionRow>('connect_sessions').where('expires_at', '>', db.fn.now());

  async function insert(db: Db, session: NewConnectSession): Promise<ConnectSession> {
    const [row] = await db('connect_sessions')
      .insert({
        id: newId(),
        project_id: session.projectId,
        end_user_id: session.endUserId,
        integration_id: session.integrationId,
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
        state: 'created',
        expires_at: db.raw(`now() + make_interval(secs => ?)`, [session.lifetimeSeconds]),
      })
      .returning('*');
    return fromRow(row);
  }

  /** The session behind a link, whatever its state, expired ones included. The token itself is the authority. */
  async function findByTokenOfAnyProject(
    db: Db,
    tokenHash: Buffer,
  ): Promise<(ConnectSession & { isExpired: boolean }) | undefined> {
    const row = await db('connect_sessions')
      .where({ token_hash: tokenHash })
      .first<TimedRow>(['*', db.raw('expires_at <= now() AS is_expired')]);
    return row && { ...fromRow(row), isExpired: row.is_expired };
  }

  /** The session whose authorization this is, expired ones included, since their users get an explanation. */
  async function findByState(
    db: Db,
    stateHash: Buffer,
  ): Promise<(ConnectSession & { isExpired: boolean }) | undefined> {
    const row = await db('connect_sessions')
      .where({ oauth_state_hash: stateHash, state: 'authorizing' })
      .first<TimedRow>(['*', db.raw('expires_at <= now() AS is_expired')]);
    return row && { ...fromRow(row), isExpired: row.is_expired };
  }

  /**
   * Binds the session to the browser that opened it; the first one wins. A session of kind `link` may be bound again
   * while nothing has come of it, because mail scanners open links before people do.
   */
  async function bindBrowser(db: Db, session: ConnectSession, browserHash: Buffer): Promise<boolean> {
    const changed = await live(db)
      .where({ id: session.id, project_id: session.projectId })
      .whereIn('state', session.completion === 'link' ? ['created', 'opened', 'authorizing'] : ['created'])
      .update({ browser_hash: browserHash, state: 'opened', oauth_state_hash: null });
    return changed > 0;
  }

  /** The language that the link asked for, for the pages after the provider's own. */
  async function setLocale(db: Db, { id, projectId }: ConnectSession, locale: string): Promise<void> {
    await live(db).where({ id, project_id: projectId }).update({ locale });
  }

  async function chooseIntegration(db: Db, session: ConnectSession, integrationId: string): Promise<void> {
    await live(db)
      .where({ id: session.id, project_id: session.projectId, state: 'opened', integration_id: null })
      .update({ integration_id: integrationId });
  }

  /** Remembers the authorization request under way; a later one of the same session replaces it. */
  async function startAuthorization(
    db: Db,
    session: ConnectSession,
    flow: { stateHash: Buffer; secrets: FlowSecrets; variables: Record<string, string> },
  ): Promise<boolean> {
    const { id, projectId } = session;
    const changed = await live(db)
      .where({ id, project_id: projectId })
      .whereIn('state', ['opened', 'authorizing'])
      .update({
        state: 'authorizing',
        oauth_state_hash: flow.stateHash,
        pkce_verifier_sealed: vault.seal(JSON.stringify(flow.secrets), context(id, projectId)),
        variables: flow.variables,
        authorizing_at: db.fn.now(),
      });
    return changed > 0;
  }

  /**
   * Takes the state out of use, if the browser is the one that the session is bound to (RFC 9700 4.7). Of two
   * parallel callbacks one gets the session, the other undefined.
   */
  async function consumeState(
    db: Db,
    stateHash: Buffer,
    browserHash: Buffer,
  ): Promise<{ session: ConnectSession; secrets: FlowSecrets } | undefined> {
    const [row] = await live(db)
      .where({ oauth_state_hash: stateHash, browser_hash: browserHash, state: 'authorizing' })
      .update({ oauth_state_hash: null })
      .returning('*');
    if (row === undefined || row.pkce_verifier_sealed === null) return undefined;
    const opened = vault.open(row.pkce_verifier_sealed, context(row.id, row.project_id));
    return { session: fromRow(row), secrets: flowSecrets.parse(JSON.parse(opened)) };
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

  /** Locks a project's session until the transaction ends. */
  async function lock(
    trx: Db,
    id: string,
    projectId: string,
  ): Promise<{ session: ConnectSession; isExpired: boolean; completionCodeHash: Buffer | null } | undefined> {
    const row = await trx('connect_sessions')
      .where({ id, project_id: projectId })
      .forUpdate()
      .first<TimedRow>(['*', trx.raw('expires_at <= now() AS is_expired')]);
    if (row === undefined) return undefined;
    return { session: fromRow(row), isExpired: row.is_expired, completionCodeHash: row.completion_code_hash };
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
    findByState,
    bindBrowser,
    setLocale,
    chooseIntegration,
    startAuthorization,
    consumeState,
    fail,
    lock,
    purgeOfAnyProject,
    ...createPendingGrants({ vault }),
  };
}
