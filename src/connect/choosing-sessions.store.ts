import type { Grant } from '../connections/connection.ts';
import type { Tenant } from '../oauth/tenants.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type ConnectSession, fromRow, type TimedRow } from './connect-session.ts';
import type { SealedGrants } from './sealed-grants.ts';
import { isExpired } from './session-authorizations.store.ts';

/** A session whose user is to choose a tenant; `choice` is undefined where that is over. */
export type ChoosingSession = {
  readonly session: ConnectSession;
  readonly isExpired: boolean;
  readonly choice: { readonly grant: Grant; readonly tenants: readonly Tenant[] } | undefined;
};

/** SQL over sessions whose grant reaches several tenants, of which their users choose one. */
export function createChoosingSessions(sealed: SealedGrants) {
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
        pending_sealed: sealed.seal(session, { ...grant, tenants }),
        organization_client_id: session.organizationClientId,
        ...accountColumns(grant),
        expires_at: db.raw(`now() + make_interval(secs => ?)`, [lifetimeSeconds]),
      });
    return changed > 0;
  }

  /** The session whose user is to choose a tenant. Its browser's cookie is the authority. */
  async function findChoosingOfAnyProject(db: Db, id: string): Promise<ChoosingSession | undefined> {
    const row = await db('connect_sessions')
      .where({ id })
      .first<TimedRow | undefined>(['*', isExpired(db)]);
    if (row === undefined) return undefined;
    const isChoosing = row.state === 'choosing' && row.pending_sealed !== null;
    return {
      session: fromRow(row),
      isExpired: row.is_expired,
      choice: isChoosing ? sealed.openChoice(row.id, row.project_id, row.pending_sealed ?? '') : undefined,
    };
  }

  return { setChoosing, findChoosingOfAnyProject };
}

/** Whose grant it is, for revocations that would end it together with another one. */
export const accountColumns = ({ accountId, accountName }: Grant) => ({
  granted_account_id: accountId,
  granted_account_name: accountName,
});
