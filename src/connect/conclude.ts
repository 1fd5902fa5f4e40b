import type { Grant } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { HttpError } from '../http/errors.ts';
import { createOpaqueToken } from '../lib/opaque-tokens.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import { type FinishGrant, findPlacement } from './finish-grant.ts';
import type { Refusal } from './refusals.ts';

/** How long the application has to complete what its user authorized. */
const COMPLETION_LIFETIME_SECONDS = 600;

/** How an authorization ended, for the closing page and the redirect. */
export type Outcome = { readonly ok: true; readonly completionCode: string | undefined } | Refusal;

export type Conclude = (session: ConnectSession, grant: Grant) => Promise<Outcome>;

/**
 * Takes a grant that the provider gave: kept pending until its user completes it, or made a connection at once where
 * a backend vouches for the link. A grant that cannot be used is revoked, not left lying at the provider.
 */
export function createConclude(deps: {
  db: Db;
  sessions: ConnectSessionsStore;
  connections: ConnectionsStore;
  finishGrant: FinishGrant;
  revokeGrant(session: ConnectSession, grant: Grant): Promise<void>;
}): Conclude {
  const { db, sessions } = deps;

  async function refuse(session: ConnectSession, grant: Grant, refusal: Refusal): Promise<Outcome> {
    await sessions.fail(db, session, refusal.error);
    await deps.revokeGrant(session, grant);
    return refusal;
  }

  async function activate(session: ConnectSession, grant: Grant): Promise<Outcome> {
    try {
      await db.transaction(async (trx) => {
        await sessions.lock(trx, session.id, session.projectId);
        await sessions.takePending(trx, session);
        await deps.finishGrant(trx, session, grant, { kind: 'gateway' });
      });
      return { ok: true, completionCode: undefined };
    } catch (error) {
      // Another account of the same user came first; the grant is pending again, and the sweep revokes it.
      const isMismatch = error instanceof HttpError && error.code === 'account_mismatch';
      if (isMismatch) return { ok: false, error: error.code };
      throw error;
    }
  }

  return async (session, grant) => {
    const placement = await findPlacement(deps.connections, db, session, grant);
    if (placement.kind === 'mismatch') return refuse(session, grant, mismatchOf(grant));
    const { token, hash } = createOpaqueToken('');
    const isPending = await sessions.setPending(db, session, grant, hash, COMPLETION_LIFETIME_SECONDS);
    if (!isPending) return refuse(session, grant, { ok: false, error: 'session_used' });
    if (session.completion === 'same_user') return { ok: true, completionCode: token };
    return activate(session, grant);
  };
}

/** Where the provider did not tell whose account it is, the person has not chosen a wrong one. */
function mismatchOf({ accountId }: Grant): Refusal {
  const refusal = { ok: false, error: 'account_mismatch' } as const;
  return accountId === null ? { ...refusal, reason: 'provider_error' } : refusal;
}
