import { assertIfMatch, formatEtagOfState } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { principalKey } from '../http/principal.ts';
import { readPage } from '../lib/cursor.ts';
import { isUuid } from '../lib/ids.ts';
import type { EndUsers, Organization } from '../projects/end-users.store.ts';
import { lockQuota, setQuota } from '../projects/organization-quotas.store.ts';
import { projectParams } from '../projects/projects.schema.ts';
import { countOfPerson } from './export.store.ts';
import {
  erasureSchema,
  organizationList,
  organizationParams,
  organizationSchema,
  organizationsQuery,
  updateOrganizationBody,
} from './persons.schema.ts';
import type { PersonsDependencies } from './persons-dependencies.ts';
import { replyWithErasure } from './reply-erasure.ts';

const TAG = 'Projects';

/** Organizations, as the tokens of their users name them: what a project holds of one, all of it as a file, and its end. */
export function createOrganizationsEndpoints(deps: PersonsDependencies): Endpoint[] {
  return [listAll(deps), readOne(deps), changeOne(deps), eraseOne(deps), exportOne(deps)];
}

/** The organization of either id. Throws `organization_ambiguous` where the ids of two are the same. */
async function findOrganization(
  { endUsers }: { readonly endUsers: Pick<EndUsers, 'listOrganizations'> },
  projectId: string,
  id: string,
): Promise<Organization | undefined> {
  const [byOwnId] = await endUsers.listOrganizations({ projectId, organization: id, limit: 1 });
  const [byId] = isUuid(id) ? await endUsers.listOrganizations({ projectId, id, limit: 1 }) : [];
  if (byOwnId && byId && byOwnId.id !== byId.id) throw new HttpError('organization_ambiguous');
  return byOwnId ?? byId;
}

async function requireOrganization(deps: PersonsDependencies, projectId: string, id: string) {
  const found = await findOrganization(deps, projectId, id);
  if (found === undefined) throw new HttpError('organization_not_found');
  return found;
}

const wire = ({ id, organization, createdAt, callsPerDay }: Organization) => ({
  ...{ id, organizationId: organization, callsPerDay },
  createdAt: createdAt.toISOString(),
});

const etagOf = ({ callsPerDay }: Pick<Organization, 'callsPerDay'>) => formatEtagOfState(callsPerDay);

async function replyWith({ db }: PersonsDependencies, projectId: string, found: Organization) {
  const holds = await countOfPerson(db, { projectId, endUserId: found.id, userId: null });
  return { body: { ...wire(found), holds }, etag: etagOf(found) };
}

function listAll({ access, endUsers }: PersonsDependencies): Endpoint {
  return endpoint({
    operationId: 'listOrganizations',
    method: 'get',
    path: '/projects/{projectId}/organizations',
    summary: 'List the organizations of a project',
    description: 'Those that tokens have named, or that connections were made for.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'connections:read',
    params: projectParams,
    query: organizationsQuery,
    success: { status: 200, schema: organizationList, description: 'Organizations, newest first' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, query }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const { organizationId: organization, ...page } = query;
      const { items, nextCursor } = await readPage(page, (window) =>
        endUsers.listOrganizations({ projectId, organization, ...window }),
      );
      return { body: { organizations: items.map(wire), nextCursor } };
    },
  });
}

function readOne(deps: PersonsDependencies): Endpoint {
  return endpoint({
    operationId: 'getOrganization',
    method: 'get',
    path: '/projects/{projectId}/organizations/{id}',
    summary: 'Read an organization, with what is held of it',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'connections:read',
    params: organizationParams,
    success: { status: 200, schema: organizationSchema, description: 'The organization' },
    errors: ['project_not_found', 'organization_not_found', 'organization_ambiguous'],
    async handler({ principal, params: { projectId, id } }) {
      await deps.access.requireProjectAccess(principal, projectId, 'read');
      const found = await requireOrganization(deps, projectId, id);
      return replyWith(deps, projectId, found);
    },
  });
}

function changeOne(deps: PersonsDependencies): Endpoint {
  return endpoint({
    operationId: 'updateOrganization',
    method: 'patch',
    path: '/projects/{projectId}/organizations/{id}',
    summary: 'Give an organization a quota of its own',
    description: 'It counts on all replicas within a second. What has been counted already stays counted.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'projects:write',
    params: organizationParams,
    body: updateOrganizationBody,
    requestExample: { callsPerDay: 100_000 },
    success: { status: 200, schema: organizationSchema, description: 'The organization as changed' },
    errors: [
      'project_not_found',
      'organization_not_found',
      'organization_ambiguous',
      'limit_reached',
      'precondition_failed',
    ],
    async handler({ principal, params, body, request }) {
      const projectId = params.projectId.toLowerCase();
      await deps.access.requireProjectAccess(principal, projectId, 'write');
      const found = await requireOrganization(deps, projectId, params.id);
      const callsPerDay = await deps.db.transaction(async (trx) => {
        const current = await lockQuota(trx, { projectId, id: found.id });
        if (current === undefined) throw new HttpError('organization_not_found');
        assertIfMatch(request, etagOf(current));
        const { callsPerDay: wanted = current.callsPerDay } = body;
        if (wanted === current.callsPerDay) return wanted;
        await setQuota(trx, { projectId, id: found.id }, wanted);
        await deps.recordActivity(trx, {
          ...{ projectId, actor: principal, action: 'organization.updated', subjectId: found.id },
          details: { fields: ['callsPerDay'] },
        });
        return wanted;
      });
      return replyWith(deps, projectId, { ...found, callsPerDay });
    },
  });
}

function eraseOne(deps: PersonsDependencies): Endpoint {
  return endpoint({
    operationId: 'eraseOrganization',
    method: 'delete',
    path: '/projects/{projectId}/organizations/{id}',
    summary: 'Erase an organization',
    description:
      'Revokes the grants of its connections at the providers and erases these, with their events, deliveries, webhooks and kept calls, in the background, as for a user; its persons and what is theirs stay. The report at `Location` ends `done`. Tokens that name it go on, and one that is used afterwards makes a new, empty one.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: ['connections:write', 'events:manage'],
    params: organizationParams,
    success: { status: 202, schema: erasureSchema, description: 'The report, which goes on' },
    errors: ['project_not_found', 'organization_not_found', 'organization_ambiguous'],
    async handler({ principal, params, commitReply }) {
      const projectId = params.projectId.toLowerCase();
      await deps.access.requireProjectAccess(principal, projectId, 'write');
      const found = await findOrganization(deps, projectId, params.id);
      return replyWithErasure(deps, principal, commitReply, {
        ...{ kind: 'organization', projectId, id: params.id, absent: 'organization_not_found' },
        found: found && { endUserId: found.id, name: found.organization },
      });
    },
  });
}

function exportOne(deps: PersonsDependencies): Endpoint {
  return endpoint({
    operationId: 'exportOrganization',
    method: 'get',
    path: '/projects/{projectId}/organizations/{id}/export',
    summary: 'Export everything about an organization',
    description:
      'JSON lines as of a user (`…/users/{id}/export`), the first one of kind `organization`. No token and no other secret is in it.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: ['connections:read', 'events:read', 'activity:read'],
    params: organizationParams,
    success: { status: 200, mediaTypes: ['application/jsonl'], description: 'Everything that is kept' },
    errors: ['project_not_found', 'organization_not_found', 'organization_ambiguous'],
    async handler({ principal, params: { projectId, id } }) {
      await deps.access.requireProjectAccess(principal, projectId, 'write');
      const found = await requireOrganization(deps, projectId, id);
      const person = {
        ...{ projectId: projectId.toLowerCase(), endUserId: found.id },
        ...{ userId: null, organization: found.organization },
      };
      return {
        headers: {
          'Content-Type': 'application/jsonl',
          'Content-Disposition': 'attachment; filename="organization.jsonl"',
        },
        stream: deps.exportPerson(principalKey(principal), person, { kind: 'organization', ...wire(found) }),
      };
    },
  });
}
