import type { Grant } from '../connections/connection.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import { accountColumns, createChoosingSessions } from './choosing-sessions.store.ts';
import {
  type ConnectSession,
  type ConnectSessionRow,
  type ConnectSessionState,
  fromRow,
} from './connect-session.ts';
import { createSealedGrants } from './sealed-grants.ts';

/** States of sessions whose row holds a grant that no connection has yet. */
export const HOLDING_GRANTS: readonly ConnectSessionState[] = ['choosing', 'pending'];

/** Of an integration; with `connectionIds`, only what re-authorizes these, with `endUserId`, only what that user began. */
export type PendingOwner = {
  readonly projectId: string;
  readonly integrationId: string;
  readonly connectionIds?: readonly string[];
  readonly endUserId?: string;
};

/** A grant that waited for its user, with the connection that it was to re-authorize. */
export type PendingGrant = {
  readonly grant: Grant;
  readonly connectionId: string | null;
  readonly organizationClientId: string | null;
  readonly endUserId: string;
};

/**
 * A pending session that was not completed in time, with the grant to revoke; undefined where it cannot be unsealed.
 */
type AbandonedGrant = { session: ConnectSession; grant: Grant | undefined };

/** SQL over what a provider granted in a connect session and waits for its user: sealed in the session's row. */
export function createPendingGrants({ vault }: { vault: Vault }) {
  const sealed = createSealedGrants({ vault });

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
      .whereIn('state', ['opened', 'authorizing', 'choosing'])
      .update({
        state: 'pending',
        pkce_verifier_sealed: null,
        pending_sealed: sealed.seal(session, grant),
        organization_client_id: session.organizationClientId,
        ...accountColumns(grant),
        completion_code_hash: completionCodeHash,
        expires_at: db.raw(`now() + make_interval(secs => ?)`, [lifetimeSeconds]),
      });
    return changed > 0;
  }

  /** What the provider granted, while it waits for its user. */
  async function findPending(db: Db, { id, projectId }: ConnectSession): Promise<Grant | undefined> {
    const row = await db<ConnectSessionRow>('connect_sessions')
      .where({ id, project_id: projectId, state: 'pending' })
      .where('expires_at', '>', db.fn.now())
      .first();
    return row && sealed.openIfPossible(row);
  }

  /** Another code in the place of the one that its browser did not get. False where nothing waits any more. */
  async function renewCode(
    db: Db,
    { id, projectId }: ConnectSession,
    completionCodeHash: Buffer,
  ): Promise<boolean> {
    const changed = await db('connect_sessions')
      .where({ id, project_id: projectId, state: 'pending' })
      .where('expires_at', '>', db.fn.now())
      .update({ completion_code_hash: completionCodeHash });
    return changed > 0;
  }

  /** Takes the pending grant out of a session that `lock` holds, and ends the session. */
  async function takePending(trx: Db, { id, projectId }: ConnectSession): Promise<Grant | undefined> {
    const row = await trx<ConnectSessionRow>('connect_sessions')
      .where({ id, project_id: projectId })
      .first('pending_sealed');
    await end(trx, id, projectId, 'completed');
    return row?.pending_sealed ? sealed.openGrant(id, projectId, row.pending_sealed) : undefined;
  }

  async function end(db: Db, id: string, projectId: string, state: 'completed' | 'failed'): Promise<void> {
    await db('connect_sessions')
      .where({ id, project_id: projectId })
      .update({
        state,
        pkce_verifier_sealed: null,
        pending_sealed: null,
        granted_account_id: null,
        granted_account_name: null,
        ...(state === 'failed' && { completion_code_hash: null }),
        oauth_state_hash: null,
      });
  }

  /** Remembers what completing the session made, for a user who asks again with the same code. */
  async function keepResult(trx: Db, { id, projectId }: ConnectSession, connectionId: string): Promise<void> {
    await trx('connect_sessions')
      .where({ id, project_id: projectId })
      .update({ result_connection_id: connectionId });
  }

  /** Takes one expired session out that holds a grant, so that its tokens can be revoked; undefined when there is none. */
  async function takeAbandonedOfAnyProject(trx: Db): Promise<AbandonedGrant | undefined> {
    const row = await trx<ConnectSessionRow>('connect_sessions')
      // Written out, since the index of these states is of no use to a prepared statement with parameters.
      .whereRaw(`state IN (${HOLDING_GRANTS.map((state) => `'${state}'`).join(', ')})`)
      .where('expires_at', '<=', trx.fn.now())
      .orderBy('expires_at')
      .forUpdate()
      .skipLocked()
      .first();
    if (row === undefined) return undefined;
    await end(trx, row.id, row.project_id, 'failed');
    return { session: fromRow(row), grant: sealed.openIfPossible(row) };
  }

  /**
   * Takes out every pending grant for connections, or else for an integration, that are about to be deleted: the rows
   * of their sessions go with them, and the grants are to be revoked.
   */
  async function takePendingOf(
    trx: Db,
    { projectId, integrationId, connectionIds, endUserId }: PendingOwner,
  ): Promise<PendingGrant[]> {
    const query = trx<ConnectSessionRow>('connect_sessions')
      .where({ project_id: projectId, integration_id: integrationId })
      .whereIn('state', HOLDING_GRANTS)
      .forUpdate();
    if (connectionIds !== undefined) query.whereIn('connection_id', [...connectionIds]);
    if (endUserId !== undefined)
      query.where((of) => of.where({ end_user_id: endUserId }).orWhere({ person_id: endUserId }));
    const rows = await query;
    for (const row of rows) await end(trx, row.id, row.project_id, 'failed');
    return rows.flatMap((row) => {
      const grant = sealed.openIfPossible(row);
      return grant === undefined
        ? []
        : [
            {
              grant,
              connectionId: row.connection_id,
              organizationClientId: row.organization_client_id,
              endUserId: row.end_user_id,
            },
          ];
    });
  }

  return {
    ...createChoosingSessions(sealed),
    setPending,
    findPending,
    renewCode,
    takePending,
    keepResult,
    takeAbandonedOfAnyProject,
    takePendingOf,
  };
}
