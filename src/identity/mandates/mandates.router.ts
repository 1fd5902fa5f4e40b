import type { RecordActivity } from '../../activity/record.ts';
import { assertIfMatch, formatEtag } from '../../http/conditional.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { principalId } from '../../http/principal.ts';
import { readPage } from '../../lib/cursor.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access } from '../../projects/access.ts';
import { projectParams } from '../../projects/projects.schema.ts';
import { assertRoom } from '../../projects/room.store.ts';
import {
  createMandateBody,
  mandateList,
  mandateParams,
  mandateSchema,
  mandatesQuery,
  toMandateWire,
  updateMandateBody,
} from './mandates.schema.ts';
import type { MandatesStore, NamedMandate } from './mandates.store.ts';

const MANDATES_PER_PROJECT_MAX = 1_000;
const TAG = 'Mandates';

type MandatesDependencies = {
  db: Db;
  access: Access;
  mandates: MandatesStore;
  recordActivity: RecordActivity;
};

/** Mandates that tokens refer to by id, so that what they may do can be changed while they are in use. */
export function createMandatesEndpoints(deps: MandatesDependencies): Endpoint[] {
  return [
    listMandates(deps),
    createMandate(deps),
    getMandate(deps),
    updateMandate(deps),
    deleteMandate(deps),
  ];
}

function listMandates({ access, mandates }: MandatesDependencies): Endpoint {
  return endpoint({
    operationId: 'listMandates',
    method: 'get',
    path: '/projects/{projectId}/mandates',
    summary: 'List the mandates of a project',
    tag: TAG,
    principals: ['operator', 'api_key'],
    keyScope: 'mandates',
    leastRole: 'viewer',
    params: projectParams,
    query: mandatesQuery,
    success: { status: 200, schema: mandateList, description: 'Mandates, newest first' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, query }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const { items, nextCursor } = await readPage(query, (window) =>
        mandates.list({ projectId, ...window }),
      );
      return { body: { mandates: items.map(toMandateWire), nextCursor } };
    },
  });
}

function createMandate({ access, db, mandates, recordActivity }: MandatesDependencies): Endpoint {
  return endpoint({
    operationId: 'createMandate',
    method: 'post',
    path: '/projects/{projectId}/mandates',
    summary: 'Create a mandate',
    description: 'Tokens refer to it by the claim `gateway_mandate`, or `mandateId` when they are minted.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    keyScope: 'mandates',
    leastRole: 'admin',
    params: projectParams,
    body: createMandateBody,
    requestExample: {
      name: 'Reading contacts',
      entries: [
        {
          type: 'gateway_access',
          provider: 'hubspot',
          access: 'read',
          paths: ['/crm/v3/objects/contacts/**'],
        },
      ],
    },
    success: { status: 201, schema: mandateSchema, description: 'The mandate' },
    errors: ['project_not_found', 'limit_reached'],
    async handler({ principal, params: { projectId }, body, commitReply }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      return commitReply(db, async (trx) => {
        const room = { table: 'mandates', most: MANDATES_PER_PROJECT_MAX, noun: 'mandates' } as const;
        await assertRoom(trx, projectId, room);
        const made = await mandates.insert(trx, projectId, { ...body, by: principalId(principal) });
        await recordActivity(trx, {
          projectId,
          actor: principal,
          action: 'mandate.created',
          subjectId: made.id,
          details: { name: made.name },
        });
        return replyOf(made);
      });
    },
  });
}

function getMandate({ access, mandates }: MandatesDependencies): Endpoint {
  return endpoint({
    operationId: 'getMandate',
    method: 'get',
    path: '/projects/{projectId}/mandates/{id}',
    summary: 'Read a mandate',
    tag: TAG,
    principals: ['operator', 'api_key'],
    keyScope: 'mandates',
    leastRole: 'viewer',
    params: mandateParams,
    success: { status: 200, schema: mandateSchema, description: 'The mandate' },
    errors: ['not_found', 'project_not_found'],
    async handler({ principal, params: { projectId, id } }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      return replyOf(requirePresent(await mandates.find(projectId, id)));
    },
  });
}

function updateMandate({ access, db, mandates, recordActivity }: MandatesDependencies): Endpoint {
  return endpoint({
    operationId: 'updateMandate',
    method: 'patch',
    path: '/projects/{projectId}/mandates/{id}',
    summary: 'Change or freeze a mandate',
    description: 'Acts on every token that refers to it, on every replica, within a second.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    keyScope: 'mandates',
    leastRole: 'admin',
    params: mandateParams,
    body: updateMandateBody,
    requestExample: { state: 'frozen' },
    success: { status: 200, schema: mandateSchema, description: 'The mandate as changed' },
    errors: ['not_found', 'project_not_found', 'precondition_failed'],
    async handler({ principal, params: { projectId, id }, body, request }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      const fields = Object.keys(body);
      const changed = await db.transaction(async (trx) => {
        const current = requirePresent(await mandates.lock(trx, projectId, id));
        assertIfMatch(request, formatEtag(current.version));
        if (fields.length === 0) return current;
        await recordActivity(trx, {
          projectId,
          actor: principal,
          action: 'mandate.updated',
          subjectId: id,
          details: { name: current.name, fields, ...(body.state !== undefined && { state: body.state }) },
        });
        return requirePresent(await mandates.update(trx, current, { ...body, by: principalId(principal) }));
      });
      return replyOf(changed);
    },
  });
}

function deleteMandate({ access, db, mandates, recordActivity }: MandatesDependencies): Endpoint {
  return endpoint({
    operationId: 'deleteMandate',
    method: 'delete',
    path: '/projects/{projectId}/mandates/{id}',
    summary: 'Delete a mandate',
    description:
      'Tokens that refer to it may do nothing any more. Refused for the one that the sign-in for agents names.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    keyScope: 'mandates',
    leastRole: 'admin',
    params: mandateParams,
    success: { status: 204, description: 'Deleted' },
    errors: ['not_found', 'project_not_found', 'precondition_failed', 'mandate_in_use'],
    async handler({ principal, params: { projectId, id }, request }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      await db.transaction(async (trx) => {
        const current = requirePresent(await mandates.lock(trx, projectId, id));
        assertIfMatch(request, formatEtag(current.version));
        if (await mandates.isOfSignIn(trx, current)) throw new HttpError('mandate_in_use');
        await mandates.remove(trx, projectId, id);
        await recordActivity(trx, {
          projectId,
          actor: principal,
          action: 'mandate.deleted',
          subjectId: id,
          details: { name: current.name },
        });
      });
      return {};
    },
  });
}

function replyOf(mandate: NamedMandate) {
  return { body: toMandateWire(mandate), etag: formatEtag(mandate.version) };
}

function requirePresent(mandate: NamedMandate | undefined): NamedMandate {
  if (mandate === undefined) throw new HttpError('not_found');
  return mandate;
}
