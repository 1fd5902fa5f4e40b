import type { Actor, ProjectChange } from '../../activity/actions.ts';
import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { readPage } from '../../lib/cursor.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access } from '../../projects/access.ts';
import { projectParams } from '../../projects/projects.schema.ts';
import type { ProjectsStore } from '../../projects/projects.store.ts';
import {
  type CreateRevocation,
  createRevocationBody,
  revocationList,
  revocationParams,
  revocationSchema,
  revocationsQuery,
  toRevocationWire,
} from './revocations.schema.ts';
import type { Revocation, RevocationsStore } from './revocations.store.ts';
import type { StoredRevocation } from './revocations.ts';

/** They are kept in memory by every process, and most are forgotten after a day. */
const REVOCATIONS_PER_PROJECT_MAX = 10_000;

type RevocationsDependencies = {
  db: Db;
  access: Access;
  projects: Pick<ProjectsStore, 'lock'>;
  revocations: RevocationsStore;
  recordActivity: RecordActivity;
};

const TAG = 'Projects';

/** Ends user tokens before they expire: one of them, those of a user, or everyone's. */
export function createRevocationsEndpoints(deps: RevocationsDependencies): Endpoint[] {
  return [listRevocations(deps), createRevocation(deps), getRevocation(deps), deleteRevocation(deps)];
}

function listRevocations({ access, revocations }: RevocationsDependencies): Endpoint {
  return endpoint({
    operationId: 'listRevocations',
    method: 'get',
    path: '/projects/{projectId}/revocations',
    summary: 'List revocations of user tokens',
    description: 'Those in force. One is forgotten when no token that it concerns can be alive.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'users:tokens',
    params: projectParams,
    query: revocationsQuery,
    success: { status: 200, schema: revocationList, description: 'Revocations, newest first' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, query }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const { items, nextCursor } = await readPage(query, (window) =>
        revocations.list({ projectId, ...window }),
      );
      return { body: { revocations: items.map(toRevocationWire), nextCursor } };
    },
  });
}

function createRevocation({
  access,
  db,
  projects,
  revocations,
  recordActivity,
}: RevocationsDependencies): Endpoint {
  return endpoint({
    operationId: 'createRevocation',
    method: 'post',
    path: '/projects/{projectId}/revocations',
    summary: 'Revoke user tokens',
    description:
      'One token by its `jti`, the tokens of a user, or everyone’s. Within a second every replica refuses them with `401 token_revoked`. Tokens carry their time of issue in whole seconds: one that is issued in the same second as the revocation is refused as well.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'users:tokens',
    params: projectParams,
    body: createRevocationBody,
    requestExample: { userId: 'customer-17' },
    success: { status: 201, schema: revocationSchema, description: 'The revocation' },
    errors: ['project_not_found', 'revocation_limit'],
    async handler({ principal, params: { projectId }, body, commitReply }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      return commitReply(db, async (trx) => {
        // The lock makes revocations at the same time count each other.
        if ((await projects.lock(trx, projectId)) === undefined) throw new HttpError('project_not_found');
        if ((await revocations.countInForce(trx, projectId)) >= REVOCATIONS_PER_PROJECT_MAX) {
          throw new HttpError('revocation_limit', {
            detail: `A project may have ${REVOCATIONS_PER_PROJECT_MAX} revocations in force.`,
          });
        }
        const created = await revocations.insert(trx, projectId, revocationFrom(body));
        await recordActivity(trx, changeOf(created, principal, 'token_revocation.created'));
        return { body: toRevocationWire(created) };
      });
    },
  });
}

function getRevocation({ access, revocations }: RevocationsDependencies): Endpoint {
  return endpoint({
    operationId: 'getRevocation',
    method: 'get',
    path: '/projects/{projectId}/revocations/{id}',
    summary: 'Read a revocation of user tokens',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'users:tokens',
    params: revocationParams,
    success: { status: 200, schema: revocationSchema, description: 'The revocation' },
    errors: ['not_found', 'project_not_found'],
    async handler({ principal, params: { projectId, id } }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const found = await revocations.find(projectId, id);
      if (found === undefined) throw new HttpError('not_found');
      return { body: toRevocationWire(found) };
    },
  });
}

function deleteRevocation({ access, db, revocations, recordActivity }: RevocationsDependencies): Endpoint {
  return endpoint({
    operationId: 'deleteRevocation',
    method: 'delete',
    path: '/projects/{projectId}/revocations/{id}',
    summary: 'Take back a revocation of user tokens',
    description: 'Tokens that are revoked for no other reason are good again.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'users:tokens',
    params: revocationParams,
    success: { status: 204, description: 'Taken back' },
    errors: ['not_found', 'project_not_found'],
    async handler({ principal, params: { projectId, id } }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      await db.transaction(async (trx) => {
        const removed = await revocations.remove(trx, projectId, id);
        if (removed === undefined) throw new HttpError('not_found');
        await recordActivity(trx, changeOf(removed, principal, 'token_revocation.deleted'));
      });
      return {};
    },
  });
}

function revocationFrom(body: CreateRevocation): StoredRevocation {
  if ('jti' in body) return { jti: body.jti, subject: null, issuedBefore: null };
  const issuedBefore = body.issuedBefore === undefined ? null : new Date(body.issuedBefore);
  return { jti: null, subject: 'userId' in body ? body.userId : null, issuedBefore };
}

function changeOf(
  revocation: Revocation,
  actor: Actor,
  action: 'token_revocation.created' | 'token_revocation.deleted',
): ProjectChange {
  const { id, projectId, jti, subject, issuedBefore } = revocation;
  const details = { jti, userId: subject, issuedBefore: issuedBefore?.toISOString() ?? null };
  return { projectId, actor, action, subjectId: id, details };
}
