import { setTimeout as delay } from 'node:timers/promises';
import type { RecordActivity } from '../../activity/record.ts';
import type { Connection } from '../../connections/connection.ts';
import type { ConnectionsStore } from '../../connections/connections.store.ts';
import type { Principal } from '../../http/principal.ts';
import type { JobQueue } from '../../platform/job-queue.ts';
import type { RunAgain } from '../../platform/job-worker.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Disconnecting } from './disconnecting.ts';
import { deleterSchema } from './erasing.ts';
import { countUnrevoked, hasUntriedGrants, listOutcomes, noteUnasked } from './erasure-outcomes.store.ts';
import {
  claimGrants,
  countConnections,
  findRevocationOfAnyProject,
  finishRevocation,
  listIntegrationIds,
  type ProjectRevocation,
} from './revoke-all.store.ts';

/** The name of the jobs; their keys are ids of reports. */
export const REVOKE_ALL_JOB = 'revoke-all';

const CONCURRENCY = 4;
const PAGE_SIZE = 100;
const SLICE_MS = 5_000;
/** Between two pages, so that a large project leaves the store to others. */
const PAGE_PAUSE_MS = 5;
const REVOCATIONS_PAUSE_MS = 1_000;
/** Reports of which a process knows that their pending grants were taken; one that it forgot costs a walk. */
const REMEMBERED_MAX = 1_000;

export type RevokeAllDependencies = {
  readonly db: Db;
  readonly jobs: Pick<JobQueue, 'work'>;
  readonly connections: Pick<ConnectionsStore, 'listToErase'>;
  readonly disconnecting: Pick<Disconnecting, 'erasePage' | 'enqueuePending'>;
  /** Removes what was registered at the provider, before the credentials for that are erased. Never rejects. */
  removeWebhooks(owner: { integrationId: string }): Promise<void>;
  readonly recordActivity: RecordActivity;
  now(): number;
};

/**
 * Registers the job that erases all connections of a project, a page in a transaction, and has their grants revoked; its
 * report says what became of each. A process may die at any point.
 */
export function workOnRevokeAll(deps: RevokeAllDependencies): void {
  const { db } = deps;
  /**
   * Reports whose pending grants this process has taken: it waits for the providers without walking through all
   * integrations every second, while a large project has ten thousand grants.
   */
  const pendingTaken = new Set<string>();

  async function work(id: string, signal: AbortSignal): Promise<RunAgain | undefined> {
    const revocation = await findRevocationOfAnyProject(db, id);
    if (revocation === undefined || revocation.state === 'done') return undefined;
    const { projectId } = revocation;
    const lookAgain = () => ({ runAgainAt: new Date(deps.now() + REVOCATIONS_PAUSE_MS), projectId });
    const untilMs = performance.now() + SLICE_MS;
    while (await erasePage(revocation)) {
      if (signal.aborted || performance.now() >= untilMs)
        return { runAgainAt: new Date(deps.now()), projectId };
      await delay(PAGE_PAUSE_MS);
    }
    if (!pendingTaken.has(id)) await revokePending(revocation);
    if (pendingTaken.size >= REMEMBERED_MAX) pendingTaken.clear();
    pendingTaken.add(id);
    if (await hasUntriedGrants(db, revocation)) return lookAgain();
    // What was authorized while the providers were asked.
    await revokePending(revocation);
    if (await hasUntriedGrants(db, revocation)) return lookAgain();
    await finish(revocation);
    pendingTaken.delete(id);
    return undefined;
  }

  /** False where no connection is left. */
  async function erasePage(revocation: ProjectRevocation): Promise<boolean> {
    const { projectId } = revocation;
    const page = await deps.connections.listToErase(db, { projectId, ofAll: true, limit: PAGE_SIZE });
    const actor = deleterSchema.parse(revocation.requestedBy);
    for (const [integrationId, group] of Map.groupBy(page, (connection) => connection.integrationId))
      await eraseGroup(revocation, { integrationId, group, actor });
    return page.length > 0;
  }

  async function eraseGroup(
    revocation: ProjectRevocation,
    of: { readonly integrationId: string; readonly group: readonly Connection[]; readonly actor: Principal },
  ): Promise<void> {
    const { integrationId, group, actor } = of;
    await deps.removeWebhooks({ integrationId });
    const owner = { projectId: revocation.projectId, integrationId };
    await deps.disconnecting.erasePage(owner, group, { actor, cause: 'all_revoked' }, async (trx, erased) => {
      const connectionIds = erased.gone.map(({ id }) => id);
      const asked = await claimGrants(trx, revocation, { integrationId, connectionIds });
      await noteUnasked(trx, revocation, erased, asked);
      await countConnections(trx, revocation.id, erased.gone.length);
    });
  }

  /** Revokes what users have authorized and not completed. */
  async function revokePending(revocation: ProjectRevocation): Promise<void> {
    const { projectId } = revocation;
    for (const integrationId of await listIntegrationIds(db, projectId)) {
      await deps.disconnecting.enqueuePending({ projectId, integrationId }, (trx) =>
        claimGrants(trx, revocation, { integrationId }),
      );
    }
  }

  async function finish(revocation: ProjectRevocation): Promise<void> {
    const { id, projectId } = revocation;
    const unrevoked = countUnrevoked(await listOutcomes(db, { ...revocation, of: 'project' }));
    await db.transaction(async (trx) => {
      await finishRevocation(trx, id);
      await deps.recordActivity(trx, {
        projectId,
        actor: { kind: 'gateway' },
        action: 'project.revocation_ended',
        subjectId: projectId,
        details: { revocationId: id, unrevoked },
      });
    });
  }

  deps.jobs.work(REVOKE_ALL_JOB, { concurrency: CONCURRENCY }, work);
}
