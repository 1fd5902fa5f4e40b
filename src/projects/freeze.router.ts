import { z } from 'zod';
import type { RecordActivity } from '../activity/record.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from './access.ts';
import type { Holds } from './holds.ts';
import { requirePresent } from './projects.router.ts';
import { projectParams, projectSchema, toProjectWire } from './projects.schema.ts';
import type { ProjectsStore } from './projects.store.ts';

export type FreezeDependencies = {
  readonly db: Db;
  readonly access: Access;
  readonly projects: Pick<ProjectsStore, 'lock' | 'setFrozen'>;
  readonly holds: Pick<Holds, 'load'>;
  readonly recordActivity: RecordActivity;
  /** Begins with what had to wait while the project was frozen. */
  resume(projectId: string): Promise<void>;
};

const TAG = 'Projects';

const freezeBody = z.strictObject({
  reason: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'For operators: callers do not see it.' }),
});

/** Stops what a project does at providers, and lets it go on. */
export function createFreezeEndpoints(deps: FreezeDependencies): Endpoint[] {
  return [freezeProject(deps), unfreezeProject(deps)];
}

function freezeProject(deps: FreezeDependencies): Endpoint {
  return endpoint({
    operationId: 'freezeProject',
    method: 'post',
    path: '/projects/{projectId}/freeze',
    summary: 'Freeze a project',
    description:
      'On every replica within a second: proxied calls and those of agents are answered `423 project_frozen`, nothing is refreshed, polled or delivered. Calls under way end as they would. Webhooks are kept, and worked through afterwards. Nothing is revoked: see `revoke-all`. A project that is frozen stays so, with the first reason.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'projects:write',
    params: projectParams,
    body: freezeBody,
    requestExample: { reason: 'A token may have leaked' },
    success: { status: 200, schema: projectSchema, description: 'The project, frozen' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, body: { reason = null }, commitReply }) {
      await deps.access.requireProjectAccess(principal, projectId, 'write');
      const reply = await commitReply(deps.db, async (trx) => {
        const current = requirePresent(await deps.projects.lock(trx, projectId));
        if (current.frozen !== null) return { body: toProjectWire(current) };
        await deps.recordActivity(trx, {
          ...{ projectId: current.id, actor: principal, subjectId: current.id },
          action: 'project.frozen',
          details: { reason },
        });
        return { body: toProjectWire(await deps.projects.setFrozen(trx, projectId, { reason })) };
      });
      await deps.holds.load();
      return reply;
    },
  });
}

function unfreezeProject(deps: FreezeDependencies): Endpoint {
  return endpoint({
    operationId: 'unfreezeProject',
    method: 'post',
    path: '/projects/{projectId}/unfreeze',
    summary: 'Let a frozen project go on',
    description: 'Deliveries and polls go on where they were. A project that is not frozen stays as it is.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'projects:write',
    params: projectParams,
    success: { status: 200, schema: projectSchema, description: 'The project' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, commitReply }) {
      await deps.access.requireProjectAccess(principal, projectId, 'write');
      const reply = await commitReply(deps.db, async (trx) => {
        const current = requirePresent(await deps.projects.lock(trx, projectId));
        if (current.frozen === null) return { body: toProjectWire(current) };
        await deps.recordActivity(trx, {
          ...{ projectId: current.id, actor: principal, subjectId: current.id },
          action: 'project.unfrozen',
          details: {},
        });
        return { body: toProjectWire(await deps.projects.setFrozen(trx, projectId, undefined)) };
      });
      await deps.holds.load();
      await deps.resume(projectId);
      return reply;
    },
  });
}
