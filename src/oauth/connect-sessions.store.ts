import { z } from 'zod';
import type { Grant } from '../connections/connections.store.ts';
import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type Vault, VaultError } from '../platform/vault.ts';

/** created → opened (a browser holds it) → authorizing (at the provider) → pending (needs its user) → completed. */
export type ConnectSessionState = 'created' | 'opened' | 'authorizing' | 'pending' | 'completed' | 'failed';

export type ConnectSession = Readonly<{
  id: string;
  projectId: string;
  endUserId: string;
  integrationId: string | null;
  connectionId: string | null;
  origin: string | null;
  returnUrl: string | null;
  /** Language of the hosted pages, as a BCP 47 tag; null: what the browser asks for. */
  locale: string | null;
  display: 'page' | 'popup';
  allowMultiple: boolean;
  completion: 'same_user' | 'link';
  madeByKind: 'end_user' | 'api_key' | 'operator';
  madeById: string;
  state: ConnectSessionState;
  browserHash: Buffer | null;
  variables: Record<string, string>;
  errorCode: string | null;
  expiresAt: Date;
}>;

export type NewConnectSession = Omit<
  ConnectSession,
  'id' | 'state' | 'browserHash' | 'variables' | 'errorCode' | 'expiresAt'
> & { tokenHash: Buffer; lifetimeSeconds: number };

/** What the flow needs back at the callback and must not stand in plain: the PKCE verifier and secret variables. */
const flowSecrets = z.object({ codeVerifier: z.string(), secretVariables: z.record(z.string(), z.string()) });
export type FlowSecrets = z.infer<typeof flowSecrets>;

const sealedGrant = z.object({
  credentials: z.object({ values: z.record(z.string(), z.string()), refreshToken: z.string().nullable() }),
  accessTokenExpiresAt: z.coerce.date().nullable(),
  accessTokenLifetimeSeconds: z.number().nullable(),
  grantedScopes: z.array(z.string()),
  accountId: z.string().nullable(),
  accountName: z.string().nullable(),
  variables: z.record(z.string(), z.string()),
});

type Row = {
  id: string;
  project_id: string;
  end_user_id: string;
  integration_id: string | null;
  connection_id: string | null;
  token_hash: Buffer;
  origin: string | null;
  return_url: string | null;
  locale: string | null;
  display: 'page' | 'popup';
  allow_multiple: boolean;
  completion: 'same_user' | 'link';
  made_by_kind: 'end_user' | 'api_key' | 'operator';
  made_by_id: string;
  state: ConnectSessionState;
  browser_hash: Buffer | null;
  oauth_state_hash: Buffer | null;
  pkce_verifier_sealed: string | null;
  variables: Record<string, string>;
  completion_code_hash: Buffer | null;
  pending_sealed: string | null;
  error_code: string | null;
  authorizing_at: Date | null;
  expires_at: Date;
};

type TimedRow = Row & { is_expired: boolean };

/** A pending session that nobody completed in time, with the grant to revoke; undefined where it cannot be unsealed. */
export type AbandonedGrant = { session: ConnectSession; grant: Grant | undefined };

export type ConnectSessionsStore = ReturnType<typeof createConnectSessionsStore>;

/** SQL over connect sessions. Every step is one conditional statement, so that two racing requests cannot both win. */
export function createConnectSessionsStore({ vault }: { vault: Vault }) {
  const context = (column: 'pkce_verifier_sealed' | 'pending_sealed', id: string, projectId: string) => ({
    table: 'connect_sessions',
    column,
    rowId: id,
    projectId,
  });
  const live = (db: Db) => db<Row>('connect_sessions').where('expires_at', '>', db.fn.now());

  async function insert(db: Db, session: NewConnectSession): Promise<ConnectSession> {
    const [row] = await db('connect_sessions')
      .insert({
        id: newId(),
        project_id: session.projectId,
        end_user_id: session.endUserId,
        integration_id: session.integrationId,
        connection_id: session.connectionId,
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

  /** The session whose authorization this is, also when it took too long: its user is told so. */
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
   * Binds the session to the browser that opened it; the first one wins. A session of kind `link` may be bound anew
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
        pkce_verifier_sealed: vault.seal(
          JSON.stringify(flow.secrets),
          context('pkce_verifier_sealed', id, projectId),
        ),
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
    const opened = vault.open(
      row.pkce_verifier_sealed,
      context('pkce_verifier_sealed', row.id, row.project_id),
    );
    return { session: fromRow(row), secrets: flowSecrets.parse(JSON.parse(opened)) };
  }

  /** Keeps the grant sealed until its user completes the session. */
  async function setPending(
    db: Db,
    session: ConnectSession,
    grant: Grant,
    completionCodeHash: Buffer,
    lifetimeSeconds: number,
  ): Promise<boolean> {
    const { id, projectId } = session;
    const changed = await db('connect_sessions')
      .where({ id, project_id: projectId })
      .whereIn('state', ['opened', 'authorizing'])
      .update({
        state: 'pending',
        pkce_verifier_sealed: null,
        pending_sealed: vault.seal(JSON.stringify(grant), context('pending_sealed', id, projectId)),
        completion_code_hash: completionCodeHash,
        expires_at: db.raw(`now() + make_interval(secs => ?)`, [lifetimeSeconds]),
      });
    return changed > 0;
  }

  /**
   * Ends a session of which nothing has come. A grant that another authorization of the same session brought stays
   * where it is, for its user to complete or for the sweep to revoke.
   */
  async function fail(db: Db, { id, projectId }: ConnectSession, errorCode: string): Promise<void> {
    await db('connect_sessions')
      .where({ id, project_id: projectId })
      .whereIn('state', ['created', 'opened', 'authorizing'])
      .update({ state: 'failed', error_code: errorCode, pkce_verifier_sealed: null });
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

  /** Takes the pending grant out of a session that `lock` holds, and ends the session. */
  async function takePending(trx: Db, { id, projectId }: ConnectSession): Promise<Grant | undefined> {
    const row = await trx<Row>('connect_sessions')
      .where({ id, project_id: projectId })
      .first('pending_sealed');
    await end(trx, id, projectId, 'completed');
    return row?.pending_sealed ? openGrant(id, projectId, row.pending_sealed) : undefined;
  }

  async function end(db: Db, id: string, projectId: string, state: 'completed' | 'failed'): Promise<void> {
    await db('connect_sessions').where({ id, project_id: projectId }).update({
      state,
      pkce_verifier_sealed: null,
      pending_sealed: null,
      completion_code_hash: null,
      oauth_state_hash: null,
    });
  }

  function openGrant(id: string, projectId: string, sealed: string): Grant {
    return sealedGrant.parse(JSON.parse(vault.open(sealed, context('pending_sealed', id, projectId))));
  }

  /** Takes one expired pending session out, so that its tokens can be revoked; undefined when there is none. */
  async function takeAbandonedOfAnyProject(trx: Db): Promise<AbandonedGrant | undefined> {
    const row = await trx<Row>('connect_sessions')
      .where({ state: 'pending' })
      .where('expires_at', '<=', trx.fn.now())
      .orderBy('expires_at')
      .forUpdate()
      .skipLocked()
      .first();
    if (row === undefined) return undefined;
    await end(trx, row.id, row.project_id, 'failed');
    return { session: fromRow(row), grant: openIfPossible(row) };
  }

  /** One row that a lost key sealed must not keep all others from being revoked. */
  function openIfPossible({ id, project_id, pending_sealed }: Row): Grant | undefined {
    try {
      return pending_sealed === null ? undefined : openGrant(id, project_id, pending_sealed);
    } catch (error) {
      if (error instanceof VaultError) return undefined;
      throw error;
    }
  }

  /**
   * Takes out every pending grant for a connection, or else for an integration, that is about to be deleted: the rows
   * of its sessions go with it, and the grants are to be revoked.
   */
  async function takePendingOf(
    trx: Db,
    owner: { projectId: string; integrationId: string; connectionId?: string },
  ): Promise<Grant[]> {
    const rows = await trx<Row>('connect_sessions')
      .where({
        project_id: owner.projectId,
        integration_id: owner.integrationId,
        state: 'pending',
        ...(owner.connectionId !== undefined && { connection_id: owner.connectionId }),
      })
      .forUpdate();
    for (const row of rows) await end(trx, row.id, row.project_id, 'failed');
    return rows.flatMap(({ id, project_id, pending_sealed }) =>
      pending_sealed === null ? [] : [openGrant(id, project_id, pending_sealed)],
    );
  }

  /** Forgets sessions that ended or expired a day ago. */
  async function purgeOfAnyProject(db: Db): Promise<void> {
    await db('connect_sessions')
      .where('expires_at', '<', db.raw(`now() - interval '1 day'`))
      .whereNot({ state: 'pending' })
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
    setPending,
    fail,
    lock,
    takePending,
    takeAbandonedOfAnyProject,
    takePendingOf,
    purgeOfAnyProject,
  };
}

function fromRow(row: Row): ConnectSession {
  return {
    id: row.id,
    projectId: row.project_id,
    endUserId: row.end_user_id,
    integrationId: row.integration_id,
    connectionId: row.connection_id,
    origin: row.origin,
    returnUrl: row.return_url,
    locale: row.locale,
    display: row.display,
    allowMultiple: row.allow_multiple,
    completion: row.completion,
    madeByKind: row.made_by_kind,
    madeById: row.made_by_id,
    state: row.state,
    browserHash: row.browser_hash,
    variables: row.variables,
    errorCode: row.error_code,
    expiresAt: row.expires_at,
  };
}
