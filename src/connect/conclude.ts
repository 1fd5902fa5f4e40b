import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Grant } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { HttpError } from '../http/errors.ts';
import { createOpaqueToken } from '../lib/opaque-tokens.ts';
import { factsOfTenant, type Tenant } from '../oauth/tenants.ts';
import type { Db } from '../platform/postgres/database.ts';
import { chooseTenant } from './choose-tenant.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import { existingConnections, type FinishGrant, findPlacement } from './finish-grant.ts';
import type { Granted } from './grants.ts';
import { CANCELLED, type Refusal, SESSION_EXPIRED } from './refusals.ts';

/** How long the application has to complete what its user authorized. */
const COMPLETION_LIFETIME_SECONDS = 600;
/** How long the user has to choose one of several tenants. */
export const CHOICE_LIFETIME_SECONDS = 600;

/** How an authorization ended, for the closing page and the redirect. */
export type Outcome = { readonly ok: true; readonly completionCode: string | undefined } | Refusal;

/** `asks`: the session waits for its user to choose a tenant. */
export type Concluded = Outcome | 'asks';

export type Conclude = ReturnType<typeof createConclude>;

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
}) {
  const { db, sessions, connections } = deps;

  async function refuse(session: ConnectSession, grant: Grant, refusal: Refusal): Promise<Refusal> {
    const isFailed = await sessions.fail(db, session, refusal.error);
    // Of two answers of one page the other may have made the connection, with the very same tokens.
    if (isFailed || session.state !== 'choosing') await deps.revokeGrant(session, grant);
    return refusal;
  }

  async function activate(session: ConnectSession, grant: Grant): Promise<Outcome> {
    try {
      return await db.transaction(async (trx): Promise<Outcome> => {
        const locked = await sessions.lock(trx, session.id, session.projectId);
        // The key that made the link was deleted while the provider was asked; the sweep revokes the grant.
        if (locked?.isExpired) return SESSION_EXPIRED;
        await sessions.takePending(trx, session);
        await deps.finishGrant(trx, session, grant, { kind: 'gateway' });
        return { ok: true, completionCode: undefined };
      });
    } catch (error) {
      // Another account of the same user came first; the grant is pending again, and the sweep revokes it.
      const isMismatch = error instanceof HttpError && error.code === 'account_mismatch';
      if (isMismatch) return { ok: false, error: error.code };
      throw error;
    }
  }

  async function settle(session: ConnectSession, grant: Grant): Promise<Outcome> {
    const placement = await findPlacement(connections, db, session, grant);
    if (placement.kind === 'mismatch') return refuse(session, grant, mismatchOf(grant));
    const { token, hash } = createOpaqueToken('');
    const isPending = await sessions.setPending(db, session, grant, hash, COMPLETION_LIFETIME_SECONDS);
    if (!isPending) return refuse(session, grant, { ok: false, error: 'session_used' });
    if (session.completion === 'same_user') return { ok: true, completionCode: token };
    return activate(session, grant);
  }

  /** Concludes with a new grant, or has the user asked for one of the tenants that it reaches. */
  async function conclude(
    session: ConnectSession,
    { grant, tenants }: Granted,
    provider: Pick<Provider, 'account' | 'tenants'>,
  ): Promise<Concluded> {
    if (provider.tenants === undefined || tenants === undefined) return settle(session, grant);
    const existing = await existingConnections(connections, db, session);
    const choice = chooseTenant(provider, tenants, session, existing);
    switch (choice.kind) {
      case 'none':
        return settle(session, grant);
      case 'taken':
        return settle(session, onTenant(provider, grant, choice.tenant));
      case 'refused':
        return refuse(session, grant, choice.refusal);
      case 'ask': {
        const held = { grant, tenants: choice.tenants };
        const isAsking = await sessions.setChoosing(db, session, held, CHOICE_LIFETIME_SECONDS);
        return isAsking ? 'asks' : refuse(session, grant, { ok: false, error: 'session_used' });
      }
    }
  }

  return {
    conclude,
    /** Concludes with the tenant that the user has chosen. */
    concludeOn: (
      session: ConnectSession,
      grant: Grant,
      provider: Pick<Provider, 'account'>,
      tenant: Tenant,
    ): Promise<Outcome> => settle(session, onTenant(provider, grant, tenant)),
    /** Ends the session and revokes the grant: the user wants none of the tenants. */
    cancel: (session: ConnectSession, grant: Grant): Promise<Refusal> => refuse(session, grant, CANCELLED),
  };
}

function onTenant(provider: Pick<Provider, 'account'>, grant: Grant, tenant: Tenant): Grant {
  const facts = factsOfTenant(provider, tenant, grant);
  return {
    ...grant,
    ...facts,
    variables: templateValues({ connection: grant.variables, reported: facts.variables }),
  };
}

/** Where the provider did not report whose account it is, the person has not chosen a wrong one. */
function mismatchOf({ accountId }: Grant): Refusal {
  const refusal = { ok: false, error: 'account_mismatch' } as const;
  return accountId === null ? { ...refusal, reason: 'provider_error' } : refusal;
}
