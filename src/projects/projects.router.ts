import type { z } from 'zod';
import type { RecordActivity } from '../activity/record.ts';
import { assertIfMatch, formatEtag } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { readPage } from '../lib/cursor.ts';
import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { Access } from './access.ts';
import { assertMayNameProvider, clientSecretContext, settleAgentSignIn } from './agent-sign-in.ts';
import {
  createProjectBodies,
  deleteProjectQuery,
  projectList,
  projectParams,
  projectSchema,
  projectsQuery,
  toProjectWire,
} from './projects.schema.ts';
import type { NewProject, Project, ProjectChange, ProjectsStore } from './projects.store.ts';
import { assertMayMakeProject } from './room.store.ts';

export type ProjectsDependencies = {
  db: Db;
  access: Access;
  projects: ProjectsStore;
  vault: Pick<Vault, 'seal'>;
  /** Inserts the project with its owner and its first signing key. */
  createProject(trx: Db, owner: PrincipalOf<['operator']>, input: NewProject): Promise<Project>;
  recordActivity: RecordActivity;
  countConnections(db: Db, projectId: string): Promise<number>;
  /** Hides the project, and has all that it holds erased, and its grants revoked; in the transaction of the delete. */
  hide(trx: Db, projectId: string, actor: PrincipalOf<['operator']>): Promise<void>;
  /** Ends what is under way to addresses that the project has no more; in the transaction of the change. */
  endSessions(
    trx: Db,
    projectId: string,
    removed: { readonly origins: readonly string[]; readonly returnUrls: readonly string[] },
  ): Promise<void>;
  /** Begins with that once the transaction has committed, and waits briefly. */
  eraseSoon(projectId: string): Promise<void>;
  tenancy: { readonly projectCreation: 'any' | 'owner'; readonly projectsPerOperatorMax: number };
  publicUrl: string;
  /** Lets origins and return URLs be plain http on any host, not on loopback only. */
  allowInsecureAddresses?: boolean;
};

type ProjectBodies = ReturnType<typeof createProjectBodies>;

const TAG = 'Projects';

export function createProjectsEndpoints(deps: ProjectsDependencies): Endpoint[] {
  const bodies = createProjectBodies({ allowInsecure: deps.allowInsecureAddresses ?? false });
  return [
    listProjects(deps),
    createProject(deps, bodies.create),
    getProject(deps),
    updateProject(deps, bodies.update),
    deleteProject(deps),
  ];
}

function listProjects({ projects, access }: ProjectsDependencies): Endpoint {
  return endpoint({
    operationId: 'listProjects',
    method: 'get',
    path: '/projects',
    summary: 'List projects',
    description: 'Those that you are a member of; an API key sees its own.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'anyone',
    keyScope: 'projects:read',
    query: projectsQuery,
    success: { status: 200, schema: projectList, description: 'Projects, newest first' },
    async handler({ principal, query }) {
      const projectIds = await access.projectsOf(principal);
      const { items, nextCursor } = await readPage(query, (window) =>
        projects.list({ projectIds, ...window }),
      );
      return { body: { projects: items.map(toProjectWire), nextCursor } };
    },
  });
}

function createProject(deps: ProjectsDependencies, createBody: ProjectBodies['create']): Endpoint {
  return endpoint({
    operationId: 'createProject',
    method: 'post',
    path: '/projects',
    summary: 'Create a project',
    description: 'You become its owner. It starts with a managed signing key, for minting user tokens.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    body: createBody,
    requestExample: {
      name: 'My application',
      allowedOrigins: ['https://app.example.com'],
      returnUrls: ['https://app.example.com/connected'],
    },
    success: { status: 201, schema: projectSchema, description: 'The project' },
    errors: ['limit_reached', 'insufficient_role'],
    handler: ({ principal, body, commitReply }) =>
      commitReply(deps.db, async (trx) => {
        const { projectCreation: by, projectsPerOperatorMax: most } = deps.tenancy;
        await assertMayMakeProject(trx, principal.operatorId, { by, most });
        const id = newId();
        const given = prepareChange(deps, body, { id, agentSignIn: null });
        const project = await deps.createProject(trx, principal, { ...given, name: body.name, id });
        const location = `${deps.publicUrl}/v1/projects/${project.id}`;
        return { ...replyOf(project), headers: { Location: location } };
      }),
  });
}

function getProject({ access, projects }: ProjectsDependencies): Endpoint {
  return endpoint({
    operationId: 'getProject',
    method: 'get',
    path: '/projects/{projectId}',
    summary: 'Read a project',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'projects:read',
    params: projectParams,
    success: { status: 200, schema: projectSchema, description: 'The project' },
    errors: ['project_not_found'],
    async handler({ principal, params }) {
      await access.requireProjectAccess(principal, params.projectId, 'read');
      return replyOf(requirePresent(await projects.find(params.projectId)));
    },
  });
}

function updateProject(deps: ProjectsDependencies, updateBody: ProjectBodies['update']): Endpoint {
  const { access, db, projects, recordActivity } = deps;
  return endpoint({
    operationId: 'updateProject',
    method: 'patch',
    path: '/projects/{projectId}',
    summary: 'Change a project',
    description:
      'Lists, limits and branding are replaced as a whole. Takes effect at once on every replica. Connect sessions that are open to an origin or return URL which is taken out end.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'projects:write',
    params: projectParams,
    body: updateBody,
    requestExample: { allowedOrigins: ['https://app.example.com', 'http://localhost:5173'] },
    success: { status: 200, schema: projectSchema, description: 'The project as changed' },
    errors: ['project_not_found', 'precondition_failed'],
    async handler({ principal, params: { projectId }, body, request }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      const fields = Object.keys(body);
      const changed = await db.transaction(async (trx) => {
        const current = requirePresent(await projects.lock(trx, projectId));
        assertIfMatch(request, formatEtag(current.version));
        if (fields.length === 0) return current;
        const change = prepareChange(deps, body, current);
        assertMayNameProvider(principal, current.agentSignIn, change.agentSignIn);
        await recordActivity(trx, {
          projectId,
          actor: principal,
          action: 'project.updated',
          subjectId: projectId,
          details: { fields },
        });
        const after = requirePresent(await projects.update(trx, projectId, change));
        await endSessions(deps, trx, current, after);
        return after;
      });
      return replyOf(changed);
    },
  });
}

function deleteProject(deps: ProjectsDependencies): Endpoint {
  const { access, projects, db } = deps;
  return endpoint({
    operationId: 'deleteProject',
    method: 'delete',
    path: '/projects/{projectId}',
    summary: 'Delete a project',
    description:
      'With everything in it: keys, integrations and users. Its owners go on reading its audit log. Refused while connections exist; with `force=true` all ends at once, and is erased and revoked at the providers in the background.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'owner',
    params: projectParams,
    query: deleteProjectQuery,
    success: { status: 204, description: 'Deleted' },
    errors: ['project_not_found', 'connections_exist', 'precondition_failed'],
    async handler({ principal, params: { projectId }, query, request }) {
      await access.requireProjectAccess(principal, projectId, 'owner');
      const found = requirePresent(await projects.find(projectId));
      assertIfMatch(request, formatEtag(found.version));
      await db.transaction(async (trx) => {
        // The lock keeps a connection from being made between the count and the delete.
        const current = requirePresent(await projects.lockForDelete(trx, projectId));
        assertIfMatch(request, formatEtag(current.version));
        if (query.force !== 'true') await assertWithoutConnections(deps, trx, current.id);
        await projects.keepOwners(trx, projectId);
        await deps.hide(trx, projectId, principal);
        await deps.recordActivity(trx, {
          projectId: current.id,
          actor: principal,
          action: 'project.deleted',
          subjectId: current.id,
          details: { name: current.name },
        });
      });
      await deps.eraseSoon(found.id);
      return {};
    },
  });
}

type Addresses = Pick<Project, 'id' | 'allowedOrigins' | 'returnUrls'>;

async function endSessions(deps: ProjectsDependencies, trx: Db, before: Addresses, after: Addresses) {
  const removed = {
    // Pages of the gateway's own need no entry.
    origins: before.allowedOrigins.filter(
      (one) => one !== deps.publicUrl && !after.allowedOrigins.includes(one),
    ),
    returnUrls: before.returnUrls.filter((one) => !after.returnUrls.includes(one)),
  };
  if (removed.origins.length + removed.returnUrls.length > 0) await deps.endSessions(trx, before.id, removed);
}

type GivenChange = Omit<ProjectChange, 'agentSignIn'> &
  Pick<z.output<ProjectBodies['update']>, 'agentSignIn'>;

/** What the store gets of a request: of a client secret, the sealed text. */
function prepareChange(
  { vault }: ProjectsDependencies,
  { agentSignIn: given, ...rest }: GivenChange,
  { id, agentSignIn: current }: Pick<Project, 'id' | 'agentSignIn'>,
): ProjectChange {
  if (given === undefined) return rest;
  const settled = settleAgentSignIn(given, current);
  if (settled === 'client_secret_missing') {
    const message = 'Give it with a new issuer or client, or null for a public client';
    throw new HttpError('invalid_request', {
      errors: [{ path: 'body.agentSignIn.openid.clientSecret', message }],
    });
  }
  const { agentSignIn, clientSecret } = settled;
  const agentSignInSecretSealed =
    typeof clientSecret === 'string' ? vault.seal(clientSecret, clientSecretContext(id)) : clientSecret;
  return { ...rest, agentSignIn, agentSignInSecretSealed };
}

async function assertWithoutConnections(
  { countConnections }: ProjectsDependencies,
  on: Db,
  projectId: string,
): Promise<void> {
  const count = await countConnections(on, projectId);
  if (count === 0) return;
  throw new HttpError('connections_exist', { detail: `The project has ${count} connections.` });
}

function replyOf(project: Project) {
  return { body: toProjectWire(project), etag: formatEtag(project.version) };
}

/** Throws `project_not_found`. */
export function requirePresent(project: Project | undefined): Project {
  if (project === undefined) throw new HttpError('project_not_found');
  return project;
}
