import type { Chore } from '../../platform/chores.ts';
import type { Kit } from '../../platform/kit.ts';
import { createBodyThreads } from './body-threads.ts';
import { createWaitingMatches } from './match-waiting.ts';
import { createPostponeFirst } from './postpone-first.ts';
import { type ProcessReceiptsDependencies, processReceipts, readAccounts } from './process-receipts.ts';
import { listWaitingProjects, type WaitingReceipt } from './processing.store.ts';
import { createProcessingWorker } from './processing.worker.ts';
import { createProcessingPace } from './processing-pace.ts';
import type { ProjectAccount } from './unmatched.store.ts';

const SWEEP_MS = 5_000;
const MATCH_MS = 60_000;
const PROJECTS_MAX = 1_000;

/** Builds what makes events of receipts, and lets those wait that find no connection. */
export function createProcessing(
  input: Pick<Kit, 'db' | 'log'> &
    Omit<ProcessReceiptsDependencies, 'extractPart' | 'matchLater' | 'limitItems'>,
) {
  const { db, log } = input;
  const bodyThreads = createBodyThreads();
  const pace = createProcessingPace();
  const deps = {
    ...input,
    limitItems: pace.limitItems,
    extractPart: bodyThreads.extract,
    matchLater: (accounts: readonly ProjectAccount[]) => void matching.matchThese(accounts),
  };
  const worker = createProcessingWorker({
    process: (projectId, receiptsMax) =>
      db.transaction((trx) => processReceipts(deps, trx, projectId, receiptsMax)),
    postponeFirst: createPostponeFirst(input),
    restMs: pace.restMs,
    log,
  });
  const matching = createWaitingMatches({ db, kick: worker.kick, log });
  return {
    bodyThreads,
    /** Waits until a receipt is stored; processing gives way where that takes long. */
    watchStoring: pace.watch,
    kick: worker.kick,
    readAccounts: (receipt: WaitingReceipt) => readAccounts(deps, db, { ...receipt, next_item: 0 }),
    matchAll: matching.matchAll,
    chores: [
      {
        name: 'webhooks to split',
        intervalMs: SWEEP_MS,
        runsAtStart: true,
        async run() {
          for (const projectId of await listWaitingProjects(db, PROJECTS_MAX)) worker.kick(projectId);
        },
      },
      {
        name: 'webhooks without a connection',
        intervalMs: MATCH_MS,
        runsAtStart: true,
        run: matching.matchAll,
      },
    ] satisfies Chore[],
    async stop(): Promise<void> {
      await worker.stop();
      await bodyThreads.close();
    },
  };
}
