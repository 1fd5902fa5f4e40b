import { z } from 'zod';
import { doesVouch } from '../identity/api-keys/vouching-keys.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import { type ConnectSession, type ConnectSessionRow, fromRow, type TimedRow } from './connect-session.ts';

/** What the flow needs back at the callback and must not stand in plain: the PKCE verifier and secret variables. */
const flowSecrets = z.object({
  codeVerifier: z.string(),
  secretVariables: z.record(z.string(), z.string()),
  /** Of OAuth 1.0a, while the user is asked. */
  temporaryToken: z.object({ key: z.string(), secret: z.string() }).optional(),
});
export type FlowSecrets = z.infer<typeof flowSecrets>;

/**
 * A session that has expired, or a link whose maker vouches for its holder no more: an API key that is revoked, an operator who
 * may not change the project or whose token is revoked. What has to be completed takes the credentials of its maker then.
 */
const HAS_ENDED = `(expires_at <= now() OR completion = 'link' AND CASE made_by_kind
  WHEN 'api_key' THEN NOT ${doesVouch('api_keys', { id: 'made_by_id', ownerId: 'connect_sessions.project_id' })}
  WHEN 'operator' THEN NOT EXISTS (SELECT 1 FROM project_members AS m
    WHERE m.operator_id = made_by_id AND m.project_id = connect_sessions.project_id AND m.role <> 'viewer')
    OR made_by_token_id IS NOT NULL
      AND NOT ${doesVouch('personal_access_tokens', { id: 'made_by_token_id', ownerId: 'made_by_id' })}
  ELSE false END)`;

/** A column for readers of sessions. */
export const isExpired = (db: Db) => db.raw(`${HAS_ENDED} AS is_expired`);

/** Sessions that have not expired. */
export const selectLive = (db: Db) => db<ConnectSessionRow>('connect_sessions').whereRaw(`NOT ${HAS_ENDED}`);

/** SQL over the authorization request of a connect session, from its start to its callback. */
export function createSessionAuthorizations({ vault }: { vault: Vault }) {
  const context = (rowId: string, projectId: string) => ({
    table: 'connect_sessions',
    column: 'pkce_verifier_sealed',
    rowId,
    projectId,
  });

  /** The session whose authorization this is, expired ones included, since their users get an explanation. */
  async function findByState(
    db: Db,
    stateHash: Buffer,
  ): Promise<(ConnectSession & { isExpired: boolean }) | undefined> {
    const row = await db('connect_sessions')
      .where({ oauth_state_hash: stateHash, state: 'authorizing' })
      .first<TimedRow>(['*', isExpired(db)]);
    return row && { ...fromRow(row), isExpired: row.is_expired };
  }

  /** Remembers the authorization request under way; a later one of the same session replaces it. */
  async function startAuthorization(
    db: Db,
    session: ConnectSession,
    flow: { stateHash: Buffer; secrets: FlowSecrets; variables: Record<string, string> },
  ): Promise<boolean> {
    const { id, projectId } = session;
    const changed = await selectLive(db)
      .where({ id, project_id: projectId })
      .whereIn('state', ['opened', 'authorizing'])
      .update({
        state: 'authorizing',
        oauth_state_hash: flow.stateHash,
        pkce_verifier_sealed: vault.seal(JSON.stringify(flow.secrets), context(id, projectId)),
        variables: flow.variables,
        organization_client_id: session.organizationClientId,
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
    const [row] = await selectLive(db)
      .where({ oauth_state_hash: stateHash, browser_hash: browserHash, state: 'authorizing' })
      .update({ oauth_state_hash: null, answered_state_hash: stateHash })
      .returning('*');
    if (row === undefined || row.pkce_verifier_sealed === null) return undefined;
    const opened = vault.open(row.pkce_verifier_sealed, context(row.id, row.project_id));
    return { session: fromRow(row), secrets: flowSecrets.parse(JSON.parse(opened)) };
  }

  /** The session whose authorization this was, for a page of it that is loaded again. Its browser's cookie is the authority. */
  async function findByAnsweredState(db: Db, stateHash: Buffer): Promise<ConnectSession | undefined> {
    const row = await db<ConnectSessionRow>('connect_sessions')
      .where({ answered_state_hash: stateHash })
      .first();
    return row && fromRow(row);
  }

  return { findByState, findByAnsweredState, startAuthorization, consumeState };
}
