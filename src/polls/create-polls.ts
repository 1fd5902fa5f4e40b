import type { RecordActivity } from '../activity/record.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { Credentials } from '../credentials/create-credentials.ts';
import type { RunCheck } from '../diagnosis/bounded-probe.ts';
import type { Events } from '../events/create-events.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import type { JobQueue } from '../platform/job-queue.ts';
import type { Kit } from '../platform/kit.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import type { Holds } from '../projects/holds.ts';
import type { StoredAmounts } from '../projects/stored-amounts.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import { createChooseConnection } from './api/choose-connection.ts';
import { createPollResourcesEndpoint } from './api/poll-resources.router.ts';
import { createPollsEndpoints } from './api/polls.router.ts';
import { createPollsStore } from './api/polls.store.ts';
import { createOpenCaller } from './pages/provider-caller.ts';
import { createRateBudgetsStore } from './rate-limits/rate-budgets.store.ts';
import { createRateBudgets } from './rate-limits/rate-budgets.ts';
import type { FingerprintsStore } from './records/fingerprints.store.ts';
import { createNoteRateLimit } from './running/note-rate-limit.ts';
import { createPollChores } from './running/poll-chores.ts';
import { createPollProgressStore, type DuePoll } from './running/poll-progress.store.ts';
import { createPollStatusStore } from './running/poll-status.store.ts';
import { createRunPoll, formatJobKey } from './running/run-poll.ts';
import { createTakeStep } from './running/step.ts';
import { tracePage } from './running/trace-page.ts';

const JOB = 'poll';
/**
 * Slices that a process works on at a time, half of them for one party at most: each holds a connection of the pool only
 * while it writes a page.
 */
const CONCURRENCY = 16;
const WAKE_BATCH = 500;

export type PollsInput = Pick<
  Kit,
  'db' | 'log' | 'metrics' | 'telemetry' | 'now' | 'random' | 'publicUrl'
> & {
  readonly providers: NamedProviders;
  /** Called where something worked at a provider. */
  noteWorked(projectId: string, provider: string, fact: 'poll'): void;
  readonly integrations: IntegrationsStore;
  readonly connections: ConnectionsStore;
  readonly credentials: Pick<Credentials, 'openConnection' | 'clientTokens'>;
  readonly events: Pick<Events, 'append'>;
  readonly fingerprints: FingerprintsStore;
  readonly jobs: Pick<JobQueue, 'addAll' | 'work'>;
  readonly runCheck: RunCheck;
  readonly stored: Pick<StoredAmounts, 'note' | 'isFull'>;
  readonly holds: Pick<Holds, 'assertNotHeld' | 'isHeld' | 'isRestored'>;
};

/** Builds polls: what asks providers for changes, and what a provider's answers say of its rate limit. */
export function createPolls(input: PollsInput) {
  const { db, jobs, metrics } = input;
  const progressStore = createPollProgressStore();
  const rateBudgetsStore = createRateBudgetsStore({ db });
  const parts = {
    ...input,
    openConnection: input.credentials.openConnection,
    openCaller: createOpenCaller(input.credentials),
    rateBudgetsStore,
    rateBudgets: createRateBudgets({ ...input, store: rateBudgetsStore }),
    statusStore: createPollStatusStore(),
    addJobs: (on: Db, due: readonly DuePoll[]): Promise<void> =>
      jobs.addAll(
        on,
        JOB,
        due.map((one) => ({ key: formatJobKey(one), projectId: one.projectId })),
      ),
  };
  const running = { ...parts, progressStore };
  const takeStep = createTakeStep({
    ...running,
    append: input.events.append,
    noteAdded: (projectId, rows) => input.stored.note(projectId, 'fingerprints', { rows }),
    noteAnswer: createNoteRateLimit(parts),
  });
  const runPoll = createRunPoll({
    ...running,
    async takeStep(task, ...rest) {
      const end = await tracePage(input.telemetry.tracing, task, () => takeStep(task, ...rest));
      if (end.outcome === 'over') input.noteWorked(task.projectId, task.serviceProvider, 'poll');
      return end;
    },
    isFull: input.stored.isFull,
    isHeld: input.holds.isHeld,
    countRun: metrics.countPollRun,
  });
  jobs.work(JOB, { concurrency: CONCURRENCY }, runPoll);

  return {
    noteProxied: parts.rateBudgets.noteProxied,
    /** Begins with what had to wait while the project was frozen. */
    async wake(projectId: string): Promise<void> {
      let after: DuePoll | undefined;
      do {
        const page = await progressStore.listOfProject(db, { projectId, after }, WAKE_BATCH);
        await parts.addJobs(db, page);
        after = page.length < WAKE_BATCH ? undefined : page.at(-1);
      } while (after !== undefined);
    },
    /** For a connection that the transaction moves to another account. */
    restart: async (trx: Db, connectionId: string) =>
      parts.addJobs(trx, await progressStore.restartWhereMoved(trx, connectionId)),
    chores: createPollChores({
      ...running,
      note: metrics.notePolls,
      isRestored: input.holds.isRestored,
    }),
    /** `above.db`: a transaction that they run in, with providers that see its changes. */
    endpoints: (above: {
      readonly access: Access;
      readonly recordActivity: RecordActivity;
      readonly db?: Db;
      readonly providers?: NamedProviders;
    }): Endpoint[] => [
      ...createPollsEndpoints({
        ...running,
        ...above,
        polls: createPollsStore(),
        assertNotHeld: input.holds.assertNotHeld,
        chooseConnection: createChooseConnection(input),
      }),
      createPollResourcesEndpoint({ ...parts, ...above }),
    ],
  };
}
