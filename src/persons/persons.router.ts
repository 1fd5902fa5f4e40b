import { listOutcomes } from '../credentials/revoking/erasure-outcomes.store.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { principalKey } from '../http/principal.ts';
import { readPage } from '../lib/cursor.ts';
import { isUuid } from '../lib/ids.ts';
import type { EndUser } from '../projects/end-users.store.ts';
import { projectParams } from '../projects/projects.schema.ts';
import { findErasure, listErasures } from './erasures.store.ts';
import { countOfPerson } from './export.store.ts';
import { createOrganizationsEndpoints } from './organizations.router.ts';
import {
  erasureList,
  erasureParams,
  erasureSchema,
  erasuresQuery,
  personParams,
  personSchema,
  toErasureWire,
} from './persons.schema.ts';
import type { PersonsDependencies } from './persons-dependencies.ts';
import { replyWithErasure } from './reply-erasure.ts';

const TAG = 'Projects';

/** What a project holds of one user: its numbers, all of it as a file, and its end. */
export function createPersonsEndpoints(deps: PersonsDependencies): Endpoint[] {
  return [
    ...[readPerson(deps), erasePerson(deps), exportPerson(deps), listReports(deps), getReport(deps)],
    ...createOrganizationsEndpoints(deps),
  ];
}

/** The user of either id. Throws `user_ambiguous` where the ids of two users are the same. */
async function findUser(
  { endUsers }: Pick<PersonsDependencies, 'endUsers'>,
  projectId: string,
  id: string,
): Promise<EndUser | undefined> {
  const [byOwnId] = await endUsers.list({ projectId, subject: id, limit: 1 });
  const [byId] = isUuid(id) ? await endUsers.list({ projectId, endUserId: id, limit: 1 }) : [];
  if (byOwnId && byId && byOwnId.id !== byId.id) throw new HttpError('user_ambiguous');
  return byOwnId ?? byId;
}

async function requireUser(deps: PersonsDependencies, projectId: string, id: string): Promise<EndUser> {
  const user = await findUser(deps, projectId, id);
  if (user === undefined) throw new HttpError('user_not_found');
  return user;
}

function readPerson(deps: PersonsDependencies): Endpoint {
  return endpoint({
    operationId: 'getUser',
    method: 'get',
    path: '/projects/{projectId}/users/{id}',
    summary: 'Read a user, with what is held of them',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'connections:read',
    params: personParams,
    success: { status: 200, schema: personSchema, description: 'The user' },
    errors: ['project_not_found', 'user_not_found', 'user_ambiguous'],
    async handler({ principal, params: { projectId, id } }) {
      await deps.access.requireProjectAccess(principal, projectId, 'read');
      const { id: endUserId, subject: userId, createdAt } = await requireUser(deps, projectId, id);
      const holds = await countOfPerson(deps.db, { projectId, endUserId, userId });
      return { body: { id: endUserId, userId, createdAt: createdAt.toISOString(), holds } };
    },
  });
}

function erasePerson(deps: PersonsDependencies): Endpoint {
  return endpoint({
    operationId: 'eraseUser',
    method: 'delete',
    path: '/projects/{projectId}/users/{id}',
    summary: 'Erase a user',
    description:
      'Refuses the user’s tokens from now on, revokes their grants at the providers and erases connections, authorizations, events, deliveries, webhooks, kept calls, what polls remember and replies kept for repeats, in the background; activity keeps a pseudonym. The report at `Location` ends `done` and says what could not be revoked. Asking again answers the same report. No events are sent of it. A user whose tokens are issued anew afterwards is a new one.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: ['connections:write', 'events:manage', 'users:tokens'],
    params: personParams,
    success: { status: 202, schema: erasureSchema, description: 'The report, which goes on' },
    errors: ['project_not_found', 'user_not_found', 'user_ambiguous'],
    async handler({ principal, params, commitReply }) {
      const projectId = params.projectId.toLowerCase();
      await deps.access.requireProjectAccess(principal, projectId, 'write');
      const user = await findUser(deps, projectId, params.id);
      return replyWithErasure(deps, principal, commitReply, {
        ...{ kind: 'user', projectId, id: params.id, absent: 'user_not_found' },
        found: user && { endUserId: user.id, name: user.subject },
      });
    },
  });
}

function exportPerson(deps: PersonsDependencies): Endpoint {
  return endpoint({
    operationId: 'exportUser',
    method: 'get',
    path: '/projects/{projectId}/users/{id}/export',
    summary: 'Export everything about a user',
    description:
      'JSON lines, each with its `kind`: `user`, `connection`, `connect_session`, `poll_record`, `event`, `delivery`, `webhook_receipt`, `call`, `activity`, and `end` as the last one, without which the export is cut off. No token and no other secret is in it. Webhooks that hold data of several users come whole. Two exports at a time.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: ['connections:read', 'events:read', 'activity:read'],
    params: personParams,
    success: { status: 200, mediaTypes: ['application/jsonl'], description: 'Everything that is kept' },
    errors: ['project_not_found', 'user_not_found', 'user_ambiguous'],
    async handler({ principal, params: { projectId, id } }) {
      await deps.access.requireProjectAccess(principal, projectId, 'write');
      const { id: endUserId, subject: userId, createdAt } = await requireUser(deps, projectId, id);
      const person = { projectId: projectId.toLowerCase(), endUserId, userId };
      const head = { kind: 'user', id: endUserId, userId, createdAt: createdAt.toISOString() };
      return {
        headers: {
          'Content-Type': 'application/jsonl',
          'Content-Disposition': 'attachment; filename="user.jsonl"',
        },
        stream: deps.exportPerson(principalKey(principal), person, head),
      };
    },
  });
}

function listReports({ db, access }: PersonsDependencies): Endpoint {
  return endpoint({
    operationId: 'listUserErasures',
    method: 'get',
    path: '/projects/{projectId}/user-erasures',
    summary: 'List erasures of users',
    description: 'Reports, for as long as the audit log is kept.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'connections:read',
    params: projectParams,
    query: erasuresQuery,
    success: { status: 200, schema: erasureList, description: 'Reports, newest first' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, query }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const { items, nextCursor } = await readPage(query, (window) =>
        listErasures(db, { projectId, ...window }),
      );
      const reports = items.map(async (erasure) =>
        toErasureWire(erasure, await listOutcomes(db, { ...erasure, of: 'user' })),
      );
      return { body: { userErasures: await Promise.all(reports), nextCursor } };
    },
  });
}

function getReport({ db, access }: PersonsDependencies): Endpoint {
  return endpoint({
    operationId: 'getUserErasure',
    method: 'get',
    path: '/projects/{projectId}/user-erasures/{id}',
    summary: 'Read the report of an erasure',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'connections:read',
    params: erasureParams,
    success: { status: 200, schema: erasureSchema, description: 'The report' },
    errors: ['user_erasure_not_found', 'project_not_found'],
    async handler({ principal, params: { projectId, id } }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const erasure = await findErasure(db, projectId, id);
      if (erasure === undefined) throw new HttpError('user_erasure_not_found');
      return { body: toErasureWire(erasure, await listOutcomes(db, { ...erasure, of: 'user' })) };
    },
  });
}
