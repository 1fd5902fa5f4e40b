import type { RecordActivity } from '../activity/activity.store.ts';
import { assertIfMatch, etagOf } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { decodeCursor, page } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from './access.ts';
import {
  createProjectBodies,
  projectList,
  projectParams,
  projectSchema,
  projectsQuery,
  toProjectWire,
} from './projects.schema.ts';
import type { Project, ProjectChange, ProjectsStore } from './projects.store.ts';

export type ProjectsDependencies = {
  db: Db;
  access: Access;
  projects: ProjectsStore;
  /** Inserts the project with its owner and its first signing key. */
  createProject(
    trx: Db,
    owner: PrincipalOf<['operator']>,
    input: ProjectChange & { readonly name: string },
  ): Promise<Project>;
  recordActivity: RecordActivity;
  /** Called after a change is committed, for what keeps projects in memory. */
  projectChanged(projectId: string): void;
  publicUrl: string;
  /** Lets origins and return URLs be plain http on any host, not on loopback only. */
  allowInsecureAddresses?: boolean;
};

const TAG = 'Projects';

export function createProjectsEndpoints(deps: ProjectsDependencies): Endpoint[] {
  const { db, access, projects } = deps;
  const bodies = createProjectBodies({ allowInsecure: deps.allowInsecureAddresses ?? false });

  const list = endpoint({
    operationId: 'listProjects',
    method: 'get',
    path: '/projects',
    summary: 'List projects',
    description: 'Those that you are a member of; an API key sees its own.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    query: projectsQuery,
    success: { status: 200, schema: projectList, description: 'Projects, newest first' },
    async handler({ principal, query }) {
      const rows = await projects.list({
        projectIds: await access.projectsOf(principal),
        beforeId: decodeCursor(query.cursor),
        limit: query.limit + 1,
      });
      const { items, nextCursor } = page(rows, query.limit);
      return { body: { projects: items.map(toProjectWire), nextCursor } };
    },
  });

  const create = endpoint({
    operationId: 'createProject',
    method: 'post',
    path: '/projects',
    summary: 'Create a project',
    description: 'You become its owner. It starts with a managed signing key, for minting user tokens.',
    tag: TAG,
    principals: ['operator'],
    body: bodies.create,
    requestExample: {
      name: 'My application',
      allowedOrigins: ['https://app.example.com'],
      returnUrls: ['https://app.example.com/connected'],
    },
    success: { status: 201, schema: projectSchema, description: 'The project' },
    async handler({ principal, body }) {
      const project = await db.transaction((trx) => deps.createProject(trx, principal, body));
      const location = `${deps.publicUrl}/v1/projects/${project.id}`;
      return { ...replyOf(project), headers: { Location: location } };
    },
  });

  const get = endpoint({
    operationId: 'getProject',
    method: 'get',
    path: '/projects/{projectId}',
    summary: 'Read a project',
    tag: TAG,
    principals: ['operator', 'api_key'],
    params: projectParams,
    success: { status: 200, schema: projectSchema, description: 'The project' },
    errors: ['project_not_found'],
    async handler({ principal, params }) {
      await access.requireProjectAccess(principal, params.projectId, 'read');
      return replyOf(present(await projects.find(params.projectId)));
    },
  });

  const update = endpoint({
    operationId: 'updateProject',
    method: 'patch',
    path: '/projects/{projectId}',
    summary: 'Change a project',
    description: 'Lists, limits and branding are replaced as a whole. Takes effect at once on every replica.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    params: projectParams,
    body: bodies.update,
    requestExample: { allowedOrigins: ['https://app.example.com', 'http://localhost:5173'] },
    success: { status: 200, schema: projectSchema, description: 'The project as changed' },
    errors: ['project_not_found', 'insufficient_role', 'precondition_failed'],
    async handler({ principal, params: { projectId }, body, request }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      const fields = Object.keys(body);
      const changed = await db.transaction(async (trx) => {
        const current = present(await projects.lock(trx, projectId));
        assertIfMatch(request, etagOf(current.version));
        if (fields.length === 0) return current;
        await deps.recordActivity(trx, {
          projectId,
          actor: principal,
          action: 'project.updated',
          subjectKind: 'project',
          subjectId: projectId,
          details: { fields },
        });
        return present(await projects.update(trx, projectId, body));
      });
      deps.projectChanged(changed.id);
      return replyOf(changed);
    },
  });

  const remove = endpoint({
    operationId: 'deleteProject',
    method: 'delete',
    path: '/projects/{projectId}',
    summary: 'Delete a project',
    description: 'With everything in it: keys, integrations, connections, users and its audit log.',
    tag: TAG,
    principals: ['operator'],
    params: projectParams,
    success: { status: 204, description: 'Deleted' },
    errors: ['project_not_found', 'insufficient_role', 'precondition_failed'],
    async handler({ principal, params: { projectId }, request }) {
      await access.requireProjectAccess(principal, projectId, 'owner');
      const deleted = await db.transaction(async (trx) => {
        const current = present(await projects.lock(trx, projectId));
        assertIfMatch(request, etagOf(current.version));
        await projects.remove(trx, projectId);
        // Its own log goes with the project; this entry stays, with whoever did it.
        await deps.recordActivity(trx, {
          projectId: null,
          actor: principal,
          action: 'project.deleted',
          subjectKind: 'project',
          subjectId: projectId,
          details: { name: current.name },
        });
        return current;
      });
      deps.projectChanged(deleted.id);
      return {};
    },
  });

  return [list, create, get, update, remove];
}

function replyOf(project: Project) {
  return { body: toProjectWire(project), etag: etagOf(project.version) };
}

function present(project: Project | undefined): Project {
  if (project === undefined) throw new HttpError('project_not_found');
  return project;
}
