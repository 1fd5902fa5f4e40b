import type { RecordActivity } from '../activity/record.ts';
import { describeDeleter } from '../credentials/revoking/erasing.ts';
import { listOutcomes } from '../credentials/revoking/erasure-outcomes.store.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { WriteStream } from '../http/idempotency.ts';
import { type PrincipalOf, principalKey } from '../http/principal.ts';
import { readPage } from '../lib/cursor.ts';
import { isUuid } from '../lib/ids.ts';
import type { JobQueue } from '../platform/job-queue.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Pseudonyms } from '../platform/pseudonyms.ts';
import type { Access } from '../projects/access.ts';
import type { EndUser, EndUsers } from '../projects/end-users.store.ts';
import { projectParams } from '../projects/projects.schema.ts';
import { ERASING_PHASES } from './erase-pages.ts';
import {
  type Erasure,
  findErasure,
  findErasureOfPerson,
  insertErasure,
  listErasures,
} from './erasures.store.ts';
import { countOfPerson } from './export.store.ts';
import type { Person } from './person.ts';
import {
  erasureList,
  erasureParams,
  erasureSchema,
  erasuresQuery,
  personParams,
  personSchema,
  toErasureWire,
} from './persons.schema.ts';
import type { SealedPersons } from './sealed-persons.ts';

/** The name of the jobs; their keys are ids of erasures. */
export const ERASE_USER_JOB = 'erase-user';

const TAG = 'Projects';

export type PersonsDependencies = {
  readonly db: Db;
  readonly access: Access;
  readonly endUsers: Pick<EndUsers, 'list' | 'lockEndUser'>;
  readonly jobs: Pick<JobQueue, 'add'>;
  readonly pseudonyms: Pick<Pseudonyms, 'find' | 'findOrCreate'>;
  readonly sealed: SealedPersons;
  readonly recordActivity: RecordActivity;
  readonly publicUrl: string;
  revokeTokensOfErased(
    trx: Db,
    projectId: string,
    user: { readonly userId: string; readonly pseudonym: string },
  ): Promise<void>;
  exportPerson(caller: string, person: Person, head: { readonly kind: string }): WriteStream;
};

/** What a project holds of one user: its numbers, all of it as a file, and its end. */
export function createPersonsEndpoints(deps: PersonsDependencies): Endpoint[] {
  return [readPerson(deps), erasePerson(deps), exportPerson(deps), listReports(deps), getReport(deps)];
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
  const { db, access } = deps;
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
      await access.requireProjectAccess(principal, projectId, 'write');
      const user = await findUser(deps, projectId, params.id);
      return commitReply(db, async (trx) => {
        const erasure =
          (user && (await begin(deps, trx, projectId, user, principal))) ??
          (await findEarlier(deps, trx, projectId, params.id));
        if (erasure === undefined) throw new HttpError('user_not_found');
        const location = `${deps.publicUrl}/v1/projects/${projectId}/user-erasures/${erasure.id}`;
        return {
          body: toErasureWire(erasure, await listOutcomes(trx, { ...erasure, of: 'user' })),
          headers: { Location: location },
        };
      });
    },
  });
}

/** The erasure of a user who is gone. */
async function findEarlier(
  { pseudonyms }: PersonsDependencies,
  trx: Db,
  projectId: string,
  id: string,
): Promise<Erasure | undefined> {
  const pseudonymize = await pseudonyms.find(trx, projectId);
  if (pseudonymize === undefined) return undefined;
  const names = { byUserId: pseudonymize('user', id), byId: pseudonymize('user_id', id.toLowerCase()) };
  return findErasureOfPerson(trx, projectId, names);
}

/** The erasure that is under way, or one that begins now. */
async function begin(
  deps: PersonsDependencies,
  trx: Db,
  projectId: string,
  { id: endUserId, subject: userId }: EndUser,
  principal: PrincipalOf<['operator', 'api_key']>,
): Promise<Erasure | undefined> {
  await deps.endUsers.lockEndUser(trx, projectId, endUserId);
  const pseudonymize = await deps.pseudonyms.findOrCreate(trx, projectId);
  const pseudonym = pseudonymize('user', userId);
  const idPseudonym = pseudonymize('user_id', endUserId);
  const underWay = await findErasureOfPerson(trx, projectId, { byUserId: idPseudonym, byId: idPseudonym });
  if (underWay !== undefined) return underWay;
  const erasure = await insertErasure(trx, {
    ...{ projectId, pseudonym, idPseudonym },
    phase: ERASING_PHASES[0],
    requestedBy: describeDeleter(principal),
    seal: (erasureId) => deps.sealed.seal(erasureId, { projectId, endUserId, userId }),
  });
  await deps.revokeTokensOfErased(trx, projectId, { userId, pseudonym });
  await deps.recordActivity(trx, {
    projectId,
    actor: principal,
    action: 'user.erased',
    subjectId: pseudonym,
    details: { erasureId: erasure.id },
  });
  await deps.jobs.add(trx, ERASE_USER_JOB, { key: erasure.id, projectId, runAt: undefined });
  return erasure;
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
