import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { ConnectionsStore } from '../../connections/connections.store.ts';
import type { Principal } from '../../http/principal.ts';
import {
  type DeletedIntegration,
  listDeletedIntegrationsOfAnyProject,
  markIntegrationsDeleted,
} from '../../integrations/deleted-integrations.store.ts';
import type { IntegrationsStore } from '../../integrations/integrations.store.ts';
import type { JobQueue } from '../../platform/job-queue.ts';
import type { RunAgain } from '../../platform/job-worker.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { createFittingBatch } from '../../platform/postgres/fitting-batch.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import {
  eraseEndUsers,
  eraseUsage,
  findDeletedProject,
  listEndUsers,
  markProjectDeleted,
  removeDeletedProject,
} from '../../projects/deleted-projects.store.ts';
import type { createDisconnecting } from './disconnecting.ts';

/** The name of the jobs; their keys are `integration:<id>` and `project:<id>`. */
const ERASE_JOB = 'erase-deleted';
/** Erasures under way in a process, half of them of one party at most. */
const CONCURRENCY = 4;
const SLICE_MS = 5_000;
/** Between two pages, so that a large project leaves the store to others. */
const PAGE_PAUSE_MS = 20;
const END_USERS_MAX = 500;
/** What the request that deletes erases by itself, and how long it waits for that. */
const AT_ONCE_PAGES = 2;
const AT_ONCE_MS = 1_500;
/** The job comes later than the request, which mostly has done all by then. */
const JOB_DELAY_MS = 5_000;

/** What is to be erased, and of which project. */
type IntegrationId = { readonly id: string; readonly projectId: string };

export type Deleted =
  | { readonly kind: 'integration'; readonly id: string; readonly projectId: string }
  | { readonly kind: 'project'; readonly id: string; readonly projectId: string };

export const deleterSchema = z.union([
  z.object({ kind: z.literal('operator'), operatorId: z.string() }),
  z.object({
    kind: z.literal('api_key'),
    apiKeyId: z.string(),
    projectId: z.string(),
    // Not kept: the key was judged when it asked, and what goes on afterwards is not its doing.
    scopes: z.array(z.never()).default([]),
  }),
]);

/** Who is remembered as the one that deleted something. */
export function describeDeleter(principal: Principal): object {
  if (principal.kind === 'operator') return { kind: 'operator', operatorId: principal.operatorId };
  if (principal.kind === 'api_key') {
    return { kind: 'api_key', apiKeyId: principal.apiKeyId, projectId: principal.projectId };
  }
  throw new Error('an end user deletes neither integrations, projects nor users');
}

/**
 * Erases what deleted integrations and projects hold, a page of connections in a transaction, and has the grants revoked:
 * by a job, so that a process may die at any point. Registers the job.
 */
export function createErasing(deps: {
  db: Db;
  jobs: Pick<JobQueue, 'add' | 'work'>;
  disconnecting: Pick<ReturnType<typeof createDisconnecting>, 'disconnectPage' | 'revokePending'>;
  integrations: Pick<IntegrationsStore, 'lock' | 'remove' | 'findEvenDeleted'>;
  connections: Pick<ConnectionsStore, 'countOfIntegration'>;
  /** Removes what was registered at the provider, before the credentials for that are erased. Never rejects. */
  removeWebhooks(owner: { integrationId: string }): Promise<void>;
  now(): number;
  log: { warn(fields: object, message: string): void };
}) {
  const { db, integrations, disconnecting } = deps;
  const takeFitting = createFittingBatch(END_USERS_MAX);

  /** False where it is over before all is erased. */
  async function eraseIntegration(deleted: DeletedIntegration, isOver: () => boolean): Promise<boolean> {
    const { id, projectId } = deleted;
    const actor = deleterSchema.parse(deleted.deletedBy);
    const integration = await integrations.findEvenDeleted(db, id, [projectId]);
    if (integration === undefined) return true;
    await deps.removeWebhooks({ integrationId: id });
    while (await disconnecting.disconnectPage({ projectId, integrationId: id }, actor)) {
      if (isOver()) return false;
      await delay(PAGE_PAUSE_MS);
    }
    await disconnecting.revokePending(integration);
    return db.transaction(async (trx) => {
      // The lock keeps a connection from being made between the count and the delete.
      await integrations.lock(trx, integration);
      if ((await deps.connections.countOfIntegration(trx, id, projectId)) > 0) return false;
      await integrations.remove(trx, integration);
      return true;
    });
  }

  /** False where none are left. */
  async function erasePageOfEndUsers(on: Db, projectId: string): Promise<boolean> {
    const page = await listEndUsers(on, projectId, END_USERS_MAX);
    if (page.length > 0) await takeFitting(page, (batch) => eraseEndUsers(on, projectId, batch));
    return page.length > 0;
  }

  async function eraseProject(projectId: string, isOver: () => boolean): Promise<boolean> {
    if ((await findDeletedProject(db, projectId)) === undefined) return true;
    for (const deleted of await listDeletedIntegrationsOfAnyProject(db, { projectId })) {
      if (!(await eraseIntegration(deleted, isOver)) || isOver()) return false;
    }
    for (const erasePage of [erasePageOfEndUsers, eraseUsage]) {
      while (await erasePage(db, projectId)) {
        if (isOver()) return false;
        await delay(PAGE_PAUSE_MS);
      }
    }
    await removeDeletedProject(db, projectId);
    return true;
  }

  async function erase(kind: string, id: string, isOver: () => boolean): Promise<boolean> {
    if (kind === 'project') return eraseProject(id, isOver);
    const [deleted] = await listDeletedIntegrationsOfAnyProject(db, { id });
    return deleted === undefined || eraseIntegration(deleted, isOver);
  }

  async function work(key: string, signal: AbortSignal): Promise<RunAgain | undefined> {
    const [kind = '', id = '', projectId = ''] = key.split(':');
    const untilMs = performance.now() + SLICE_MS;
    const isDone = await erase(kind, id, () => signal.aborted || performance.now() >= untilMs);
    return isDone ? undefined : { runAgainAt: new Date(deps.now()), projectId };
  }

  deps.jobs.work(ERASE_JOB, { concurrency: CONCURRENCY }, work);

  const eraseLater = (trx: Db, { kind, id, projectId }: Deleted): Promise<void> =>
    deps.jobs.add(trx, ERASE_JOB, {
      key: `${kind}:${id}:${projectId}`,
      projectId,
      runAt: new Date(deps.now() + JOB_DELAY_MS),
    });

  return {
    /** Hides an integration and has it erased, whatever becomes of this process. */
    async hideIntegration(trx: Db, { id, projectId }: IntegrationId, by: Principal): Promise<void> {
      await markIntegrationsDeleted(trx, { id, projectId }, describeDeleter(by));
      await eraseLater(trx, { kind: 'integration', id, projectId });
    },

    /** Hides a project with all that it holds, and has it erased. */
    async hideProject(trx: Db, projectId: string, by: Principal): Promise<void> {
      await markIntegrationsDeleted(trx, { projectId }, describeDeleter(by));
      await eraseLater(trx, { kind: 'project', id: projectId, projectId });
      await markProjectDeleted(trx, projectId, describeDeleter(by));
    },

    /** Begins after that transaction, and waits briefly: what is small is gone with the reply. Never rejects. */
    async eraseSoon({ kind, id }: Deleted): Promise<void> {
      let pages = 0;
      const isOver = () => {
        pages += 1;
        return pages >= AT_ONCE_PAGES;
      };
      const erased = withoutStoreLimit(() => erase(kind, id, isOver)).catch((error: unknown) => {
        deps.log.warn({ err: error, kind, id }, 'what was deleted is erased somewhat later');
      });
      await Promise.race([erased, delay(AT_ONCE_MS, undefined, { ref: false })]);
    },
  };
}
