import { z } from 'zod';
import type { Grant } from '../connections/connection.ts';
import type { Tenant } from '../oauth/tenants.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type Vault, VaultError } from '../platform/vault.ts';
import {
  type ConnectSession,
  type ConnectSessionRow,
  type ConnectSessionState,
  fromRow,
  type TimedRow,
} from './connect-session.ts';

/** States of sessions whose row holds a grant that no connection has yet. */
export const HOLDING_GRANTS: readonly ConnectSessionState[] = ['choosing', 'pending'];

const sealedTenant = z.object({
  id: z.string(),
  name: z.string().nullable(),
  detail: z.string().nullable(),
  variables: z.record(z.string(), z.string()),
});

const sealedGrant = z.object({
  credentials: z.object({ values: z.record(z.string(), z.string()), refreshToken: z.string().nullable() }),
  accessTokenExpiresAt: z.coerce.date().nullable(),
  accessTokenLifetimeSeconds: z.number().nullable(),
  grantedScopes: z.array(z.string()),
  accountId: z.string().nullable(),
  accountName: z.string().nullable(),
  tenantId: z.string().nullable().default(null),
  tenantName: z.string().nullable().default(null),
  variables: z.record(z.string(), z.string()),
});

/** A grant with the tenants among which its user chooses. */
const sealedChoice = sealedGrant.extend({ tenants: z.array(sealedTenant) });

/** Of an integration; with `connectionIds`, only what re-authorizes these. */
export type PendingOwner = {
  readonly projectId: string;
  readonly integrationId: string;
  readonly connectionIds?: readonly string[];
};

/** A grant that waited for its user, with the connection that it was to re-authorize. */
export type PendingGrant = {
  readonly grant: Grant;
  readonly connectionId: string | null;
  readonly endUserId: string;
};

/** A session whose user is to choose a tenant; `choice` is undefined where that is over. */
export type ChoosingSession = {
  readonly session: ConnectSession;
  readonly isExpired: boolean;
  readonly choice: { readonly grant: Grant; readonly tenants: readonly Tenant[] } | undefined;
};

/**
 * A pending session that was not completed in time, with the grant to revoke; undefined where it cannot be unsealed.
 */
type AbandonedGrant = { session: ConnectSession; grant: Grant | undefined };

/** SQL over what a provider granted in a connect session and waits for its user: sealed in the session's row. */
export function createPendingGrants({ vault }: { vault: Vault }) {
  const context = (rowId: string, projectId: string) => ({
    table: 'connect_sessions',
    column: 'pending_sealed',
    rowId,
    projectId,
  });

  /** Whose grant it is, for revocations that would end it together with another one. */
  const accountColumns = ({ accountId, accountName }: Grant) => ({
    granted_account_id: accountId,
    granted_account_name: accountName,
  });

  /** Keeps the grant sealed, and what it reaches, until its user has chosen one of the tenants. */
  async function setChoosing(
    db: Db,
    session: ConnectSession,
    { grant, tenants }: { grant: Grant; tenants: readonly Tenant[] },
    lifetimeSeconds: number,
  ): Promise<boolean> {
    const { id, projectId } = session;
    const changed = await db('connect_sessions')
      .where({ id, project_id: projectId })
      .whereIn('state', ['opened', 'authorizing'])
      .update({
        state: 'choosing',
        oauth_state_hash: null,
        pkce_verifier_sealed: null,
        pending_sealed: vault.seal(JSON.stringify({ ...grant, tenants }), context(id, projectId)),
        ...accountColumns(grant),
        expires_at: db.raw(`now() + make_interval(secs => ?)`, [lifetimeSeconds]),
      });
    return changed > 0;
  }

  /** The session whose user is to choose a tenant. Its browser's cookie is the authority. */
  async function findChoosingOfAnyProject(db: Db, id: string): Promise<ChoosingSession | undefined> {
    const row = await db('connect_sessions')
      .where({ id })
      .first<TimedRow | undefined>(['*', db.raw('expires_at <= now() AS is_expired')]);
    if (row === undefined) return undefined;
    const isChoosing = row.state === 'choosing' && row.pending_sealed !== null;
    return {
      session: fromRow(row),
      isExpired: row.is_expired,
      choice: isChoosing ? openChoice(row.id, row.project_id, row.pending_sealed ?? '') : undefined,
    };
  }

  function openChoice(id: string, projectId: string, sealed: string) {
    const { tenants, ...grant } = sealedChoice.parse(JSON.parse(vault.open(sealed, context(id, projectId))));
    return { grant, tenants };
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
      .whereIn('state', ['opened', 'authorizing', 'choosing'])
      .update({
        state: 'pending',
        pkce_verifier_sealed: null,
        pending_sealed: vault.seal(JSON.stringify(grant), context(id, projectId)),
        ...accountColumns(grant),
        completion_code_hash: completionCodeHash,
        expires_at: db.raw(`now() + make_interval(secs => ?)`, [lifetimeSeconds]),
      });
    return changed > 0;
  }

  /** Takes the pending grant out of a session that `lock` holds, and ends the session. */
  async function takePending(trx: Db, { id, projectId }: ConnectSession): Promise<Grant | undefined> {
    const row = await trx<ConnectSessionRow>('connect_sessions')
      .where({ id, project_id: projectId })
      .first('pending_sealed');
    await end(trx, id, projectId, 'completed');
    return row?.pending_sealed ? openGrant(id, projectId, row.pending_sealed) : undefined;
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

  function openGrant(id: string, projectId: string, sealed: string): Grant {
    return sealedGrant.parse(JSON.parse(vault.open(sealed, context(id, projectId))));
  }

  /** Takes one expired session out that holds a grant, so that its tokens can be revoked; undefined when there is none. */
  async function takeAbandonedOfAnyProject(trx: Db): Promise<AbandonedGrant | undefined> {
    const row = await trx<ConnectSessionRow>('connect_sessions')
      .whereIn('state', HOLDING_GRANTS)
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
  function openIfPossible({ id, project_id, pending_sealed }: ConnectSessionRow): Grant | undefined {
    try {
      return pending_sealed === null ? undefined : openGrant(id, project_id, pending_sealed);
    } catch (error) {
      if (error instanceof VaultError) return undefined;
      throw error;
    }
  }

  /**
   * Takes out every pending grant for connections, or else for an integration, that are about to be deleted: the rows
   * of their sessions go with them, and the grants are to be revoked.
   */
  async function takePendingOf(
    trx: Db,
    { projectId, integrationId, connectionIds }: PendingOwner,
  ): Promise<PendingGrant[]> {
    const query = trx<ConnectSessionRow>('connect_sessions')
      .where({ project_id: projectId, integration_id: integrationId })
      .whereIn('state', HOLDING_GRANTS)
      .forUpdate();
    if (connectionIds !== undefined) query.whereIn('connection_id', [...connectionIds]);
    const rows = await query;
    for (const row of rows) await end(trx, row.id, row.project_id, 'failed');
    return rows.flatMap((row) => {
      const grant = openIfPossible(row);
      return grant === undefined
        ? []
        : [{ grant, connectionId: row.connection_id, endUserId: row.end_user_id }];
    });
  }

  return {
    setChoosing,
    findChoosingOfAnyProject,
    setPending,
    takePending,
    keepResult,
    takeAbandonedOfAnyProject,
    takePendingOf,
  };
}
