import { createConnectionWire } from '../connections/connection-wire.ts';
import { connectionSchema } from '../connections/connections.schema.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { formatEtag } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import { createCompleteSession } from './complete-session.ts';
import { completeConnectSessionBody, connectSessionParams } from './connect-sessions.schema.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import type { FinishGrant } from './finish-grant.ts';

export type CompleteSessionDependencies = {
  readonly db: Db;
  readonly providers: NamedProviders;
  readonly access: Pick<Access, 'projectsOf' | 'requireProjectAccess'>;
  readonly connections: Pick<ConnectionsStore, 'find'>;
  readonly sessions: Pick<ConnectSessionsStore, 'lock' | 'takePending' | 'keepResult'>;
  readonly finishGrant: FinishGrant;
};

/** `POST /connect-sessions/{id}/complete`: how connecting an account ends. */
export function createCompleteSessionEndpoints(deps: CompleteSessionDependencies): Endpoint[] {
  const { connections, db } = deps;
  const completeSession = createCompleteSession(deps);
  const wire = createConnectionWire(deps.providers);

  const complete = endpoint({
    operationId: 'completeConnectSession',
    method: 'post',
    path: '/connect-sessions/{id}/complete',
    summary: 'Complete a connection',
    description:
      'Brings the one-time code of the closing page together with a token of the same user (or the API key that made the session). Until then the connection is neither usable nor listed; after ten minutes its tokens are revoked and erased. The code counts once; a request whose answer was lost is repeated with the same `Idempotency-Key`.',
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
      'insufficient_role',
    ],
    async handler({ principal, params, body, commitReply }) {
      const projectIds = await deps.access.projectsOf(principal);
      return commitReply(db, async (trx) => {
        const { completionCode } = body;
        const id = await completeSession(trx, {
          principal,
          sessionId: params.id,
          projectIds,
          completionCode,
        });
        const connection = await connections.find(trx, id, projectIds);
        if (connection === undefined) throw new HttpError('session_used');
        // The role of who began the session may have changed meanwhile.
        if (principal.kind === 'operator')
          await deps.access.requireProjectAccess(principal, connection.projectId, 'write', trx);
        return { body: await wire(connection), etag: formatEtag(connection.version) };
      });
    },
  });

  return [complete];
}
