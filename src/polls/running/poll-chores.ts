import { pickWaitRules } from '../../catalog/facts/read-retry-after.ts';
import { createIdBound } from '../../lib/ids.ts';
import { type Chore, HOURLY } from '../../platform/chores.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Providers } from '../../providers/custom-providers.ts';
import { findRateBudgetId } from '../rate-limits/rate-budget.ts';
import type { RateBudgetsStore } from '../rate-limits/rate-budgets.store.ts';
import type { RateBudgets } from '../rate-limits/rate-budgets.ts';
import type { FingerprintsStore } from '../records/fingerprints.store.ts';
import type { DuePoll, PollProgressStore } from './poll-progress.store.ts';
import type { PollStatusStore } from './poll-status.store.ts';

/** The delay of a connection that was made just now. */
const JOINING_MS = 5_000;
/** Connections that were made longer ago are looked for hourly. */
const JOINING_SPAN_MS = 600_000;
const BATCH = 500;
/** A job that a store without its queue has lost is added again. */
const OVERDUE_SECONDS = 60;
const FLUSHING_MS = 1_000;
const WATCHING_MS = 30_000;
const WATCHED_MAX = 20_000;
const MEASURING_MS = 30_000;
const PURGE_BATCH = 5_000;
const PURGE_BATCHES_MAX = 200;

/** What polls do beside their jobs: connections join, lost jobs are added again, old fingerprints go. */
export function createPollChores(deps: {
  db: Db;
  providers: Providers;
  progressStore: PollProgressStore;
  statusStore: PollStatusStore;
  fingerprints: FingerprintsStore;
  rateBudgetsStore: RateBudgetsStore;
  rateBudgets: RateBudgets;
  addJobs(db: Db, due: readonly DuePoll[]): Promise<void>;
  note(found: { lagSeconds: number; failing: number; connections: number }): void;
  now(): number;
  /** The gateway runs on a restored backup: nothing is polled. */
  isRestored(): boolean;
}): Chore[] {
  const { db, progressStore, statusStore, rateBudgets } = deps;

  async function join(sinceId: string): Promise<void> {
    const joined = await db.transaction(async (trx) => {
      const keys = await progressStore.join(trx, { sinceId }, BATCH);
      await deps.addJobs(trx, keys);
      return keys.length;
    });
    if (joined === BATCH) await join(sinceId);
  }

  async function watch(): Promise<void> {
    const polled = await statusStore.listPolledConnectionsOfAnyProject(db, WATCHED_MAX);
    const watched = await Promise.all(
      polled.map(async ({ connectionId, integrationId, projectId, serviceProvider, grant }) => {
        const provider = await deps.providers.find(projectId, serviceProvider, grant);
        const owner = { connectionId, integrationId };
        const budgetId = provider === undefined ? connectionId : findRateBudgetId(provider, owner);
        return [connectionId, { budgetId, rules: pickWaitRules(provider) }] as const;
      }),
    );
    rateBudgets.watchOnly(new Map(watched));
  }

  async function purge(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < PURGE_BATCHES_MAX && !signal.aborted; batch += 1) {
      if ((await deps.fingerprints.purgeOrphansOfAnyProject(db, PURGE_BATCH)) === 0) return;
    }
  }

  return [
    {
      name: 'connections that join polls',
      intervalMs: JOINING_MS,
      runsAtStart: true,
      async run() {
        await join(createIdBound(deps.now() - JOINING_SPAN_MS));
        if (deps.isRestored()) return;
        const keys = [
          ...(await progressStore.wakeReauthorizedOfAnyProject(db, BATCH)),
          ...(await progressStore.listOverdueOfAnyProject(db, OVERDUE_SECONDS, BATCH)),
        ];
        await deps.addJobs(db, keys);
      },
    },
    { name: 'all connections that join polls', ...HOURLY, run: () => join(createIdBound(0)) },
    {
      name: 'allowances of providers',
      intervalMs: FLUSHING_MS,
      runsAtStop: true,
      run: () => rateBudgets.flush(),
    },
    { name: 'connections that are polled', intervalMs: WATCHING_MS, runsAtStart: true, run: watch },
    {
      name: 'lag of polls',
      intervalMs: MEASURING_MS,
      async run() {
        deps.note(await statusStore.measureLagOfAnyProject(db));
      },
    },
    { name: 'fingerprints of deleted polls', ...HOURLY, run: purge },
    { name: 'old allowances of providers', ...HOURLY, run: () => deps.rateBudgetsStore.purgeOfAnyProject() },
  ];
}
