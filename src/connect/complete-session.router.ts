import { createConnectionWire } from '../connections/connection-wire.ts';
import { connectionSchema } from '../connections/connections.schema.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { formatEtag } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import type { ConnectSession } from './connect-session.ts';
import { matchesCode, mayComplete } from './connect-session-rules.ts';
import { completeConnectSessionBody, connectSessionParams } from './connect-sessions.schema.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import type { FinishGrant } from './finish-grant.ts';

export type CompleteSessionDependencies = {
  readonly db: Db;
  readonly providers: NamedProviders;
  readonly access: Pick<Access, 'projectsOf'>;
  readonly connections: Pick<ConnectionsStore, 'find'>;
  readonly sessions: Pick<ConnectSessionsStore, 'lock' | 'takePending' | 'keepResult'>;
  readonly finishGrant: FinishGrant;
};

/** `POST /connect-sessions/{id}/complete`: how connecting an account ends. */
export function createCompleteSessionEndpoints(deps: CompleteSessionDependencies): Endpoint[] {
  const { sessions, connections, db } = deps;
  const wire = createConnectionWire(deps.providers);

  const complete = endpoint({
    operationId: 'completeConnectSession',
    method: 'post',
    path: '/connect-sessions/{id}/complete',
    summary: 'Complete a connection',
    description:
      'Brings the one-time code of the closing page together with a token of the same user (or the API key that made the session). Until then the connection is neither usable nor listed; after ten minutes its tokens are revoked and erased. Repeated with the same code it answers the same connection.',
    tag: 'Connect',
    principals: ['end_user', 'api_key', 'operator'],
    leastRole: 'anyone',
    keyScope: 'connect',
    params: connectSessionParams,
    body: completeConnectSessionBody,
    requestExample: { completionCode: 'code-of-the-closing-page' },
    success: { status: 200, schema: connectionSchema, description: 'The connection' },
    errors: [
      'connect_session_not_found',
      'session_expired',
      'session_used',
      'completion_code_invalid',
      'account_mismatch',
    ],
    async handler({ principal, params, body, commitReply }) {
      const projectIds = await deps.access.projectsOf(principal);
      return commitReply(db, async (trx) => {
        const session = await claim(trx, principal, params.id, projectIds, body.completionCode);
        const id = session.resultConnectionId ?? (await finish(trx, session, principal));
        const connection = await connections.find(trx, id, projectIds);
        if (connection === undefined) throw new HttpError('session_used');
        return { body: await wire(connection), etag: formatEtag(connection.version) };
      });
    },
  });

  async function finish(trx: Db, session: ConnectSession, principal: Principal): Promise<string> {
    const grant = await sessions.takePending(trx, session);
    if (grant === undefined) throw new HttpError('session_used');
    const id = await deps.finishGrant(trx, session, grant, principal);
    await sessions.keepResult(trx, session, id);
    return id;
  }

  /**
   * The locked session, if this principal may complete it with this code now, or has completed it with this very code
   * before: the answer may have been lost on its way.
   */
  async function claim(
    trx: Db,
    principal: Principal,
    id: string,
    projectIds: readonly string[],
    completionCode: string,
  ): Promise<ConnectSession> {
    const projectId = principal.kind === 'operator' ? undefined : principal.projectId;
    for (const candidate of projectId === undefined ? projectIds : [projectId]) {
      const locked = await sessions.lock(trx, id, candidate);
      if (locked === undefined) continue;
      if (!mayComplete(principal, locked.session)) break;
      const isRepeated =
        locked.session.resultConnectionId !== null && matchesCode(locked.completionCodeHash, completionCode);
      if (isRepeated) return locked.session;
      if (locked.session.state === 'completed' || locked.session.state === 'failed') {
        throw new HttpError(locked.isExpired ? 'session_expired' : 'session_used');
      }
      if (locked.isExpired) throw new HttpError('session_expired');
      if (!matchesCode(locked.completionCodeHash, completionCode))
        throw new HttpError('completion_code_invalid');
      return locked.session;
    }
    throw new HttpError('connect_session_not_found');
  }

  return [complete];
}
