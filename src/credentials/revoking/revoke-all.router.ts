import { z } from 'zod';
import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { listQuery, readPage } from '../../lib/cursor.ts';
import type { JobQueue } from '../../platform/job-queue.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access } from '../../projects/access.ts';
import { projectParams } from '../../projects/projects.schema.ts';
import { describeDeleter } from './erasing.ts';
import { listOutcomes } from './erasure-outcomes.store.ts';
import {
  beginRevocation,
  findRevocation,
  listRevocations,
  type ProjectRevocation,
} from './revoke-all.store.ts';
import { REVOKE_ALL_JOB } from './revoke-all.ts';
import { grantOutcomesShape, toOutcomesWire } from './unrevoked.schema.ts';

export type RevokeAllEndpointsDependencies = {
  readonly db: Db;
  readonly access: Access;
  readonly jobs: Pick<JobQueue, 'add'>;
  readonly recordActivity: RecordActivity;
  readonly publicUrl: string;
  /** Holds the project, so that two requests begin one revocation. */
  lockProject(trx: Db, projectId: string): Promise<unknown>;
};

const TAG = 'Projects';

const reportParams = z.strictObject({ projectId: z.uuid(), id: z.uuid() });

const reportSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    state: z.enum(['running', 'done']).meta({
      description:
        '`done`: no credential of a user is left in the gateway, and every grant has been tried at its provider once. `unrevoked` may still become shorter.',
    }),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    connections: z.number().int().meta({ description: 'Connections that were erased so far.' }),
    ...grantOutcomesShape,
  })
  .meta({ id: 'RevocationReport' });

const reportList = z
  .object({ revocationReports: z.array(reportSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'RevocationReportList' });

/** Ends every connection of a project at once, with a report. */
export function createRevokeAllEndpoints(deps: RevokeAllEndpointsDependencies): Endpoint[] {
  return [revokeAll(deps), listReports(deps), getReport(deps)];
}

function revokeAll(deps: RevokeAllEndpointsDependencies): Endpoint {
  const { db, access } = deps;
  return endpoint({
    operationId: 'revokeAll',
    method: 'post',
    path: '/projects/{projectId}/revoke-all',
    summary: 'Revoke everything that users have granted',
    description:
      'Erases every connection of the project with its credentials, and revokes the grants at the providers, in the background; users have to connect again. The report at `Location` ends `done` and says what could not be revoked. While one runs, asking again answers its report. Freeze the project first where nothing may happen meanwhile; a frozen project is revoked as well. Integrations and their client secrets stay.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: ['projects:write', 'connections:write'],
    params: projectParams,
    success: { status: 202, schema: reportSchema, description: 'The report, which goes on' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, commitReply }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      return commitReply(db, async (trx) => {
        await deps.lockProject(trx, projectId);
        const { revocation, isNew } = await beginRevocation(trx, projectId, describeDeleter(principal));
        if (isNew) {
          await deps.recordActivity(trx, {
            projectId,
            actor: principal,
            action: 'project.revocation_started',
            subjectId: projectId,
            details: { revocationId: revocation.id },
          });
          await deps.jobs.add(trx, REVOKE_ALL_JOB, { key: revocation.id, projectId });
        }
        const location = `${deps.publicUrl}/v1/projects/${projectId}/revocation-reports/${revocation.id}`;
        return { body: await toWire(trx, revocation), headers: { Location: location } };
      });
    },
  });
}

function listReports({ db, access }: RevokeAllEndpointsDependencies): Endpoint {
  return endpoint({
    operationId: 'listRevocationReports',
    method: 'get',
    path: '/projects/{projectId}/revocation-reports',
    summary: 'List reports of revoking everything',
    description: 'For as long as the audit log is kept.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'projects:read',
    params: projectParams,
    query: z.strictObject(listQuery),
    success: { status: 200, schema: reportList, description: 'Reports, newest first' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, query }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const { items, nextCursor } = await readPage(query, (window) =>
        listRevocations(db, { projectId, ...window }),
      );
      const reports = items.map((revocation) => toWire(db, revocation));
      return { body: { revocationReports: await Promise.all(reports), nextCursor } };
    },
  });
}

function getReport({ db, access }: RevokeAllEndpointsDependencies): Endpoint {
  return endpoint({
    operationId: 'getRevocationReport',
    method: 'get',
    path: '/projects/{projectId}/revocation-reports/{id}',
    summary: 'Read the report of revoking everything',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'projects:read',
    params: reportParams,
    success: { status: 200, schema: reportSchema, description: 'The report' },
    errors: ['project_revocation_not_found', 'project_not_found'],
    async handler({ principal, params: { projectId, id } }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const revocation = await findRevocation(db, projectId, id);
      if (revocation === undefined) throw new HttpError('project_revocation_not_found');
      return { body: await toWire(db, revocation) };
    },
  });
}

async function toWire(db: Db, revocation: ProjectRevocation): Promise<z.input<typeof reportSchema>> {
  const { id, projectId, state, connections, createdAt, finishedAt } = revocation;
  return {
    ...{ id, projectId, state, connections },
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    ...toOutcomesWire(await listOutcomes(db, { ...revocation, of: 'project' })),
  };
}
