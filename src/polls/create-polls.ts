import type { composeIdentity } from '../compose/identity.ts';
import type { Config } from '../config.ts';
import type { createConnect } from '../connect/create-connect.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { createOpenConnection } from '../credentials/calling/connection-client.ts';
import { createIntegrationClient } from '../credentials/client/integration-client.ts';
import type { RunCheck } from '../diagnosis/bounded-probe.ts';
import type { AppendEvents } from '../events/stream/stream.ts';
import type { Integration, IntegrationsStore } from '../integrations/integrations.store.ts';
import type { JobQueue } from '../platform/job-queue.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Database, Db } from '../platform/postgres/database.ts';
import type { StoredAmounts } from '../projects/stored-amounts.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import { createPollResourcesEndpoint } from './api/poll-resources.router.ts';
import { createPollsEndpoints } from './api/polls.router.ts';
import { createPollsStore } from './api/polls.store.ts';
import { PollFailure } from './pages/poll-failure.ts';
import { createCallerOf } from './pages/provider-caller.ts';
import { createAllowancesStore } from './rate-limits/rate-budgets.store.ts';
import { createAllowances } from './rate-limits/rate-budgets.ts';
import { createFingerprintsStore } from './records/fingerprints.store.ts';
import { createPollChores } from './running/poll-chores.ts';
import { createPollConnectionsStore, type DuePoll } from './running/poll-progress.store.ts';
import { createPolledConnectionsStore } from './running/poll-status.store.ts';
import { allowanceIdOf, createRunPoll, jobKeyOf } from './running/run-poll.ts';
import { createTakeStep } from './running/step.ts';

const JOB = 'poll';
/**
 * Slices that a process works on at a time, half of them for one party at most: each holds a connection of the pool only
 * while it writes a page.
 */
const CONCURRENCY = 16;

export type PollsInput = {
  config: Config;
  database: Database;
  log: Logger;
  now(): number;
  random(): number;
  metrics: Metrics;
  outbound: Outbound;
  providers: NamedProviders;
  integrations: IntegrationsStore;
  connections: ConnectionsStore;
  connecting: Pick<
    ReturnType<typeof createConnect>,
    'accessTokens' | 'readCredentials' | 'clientTokens' | 'refusedCalls'
  >;
  jobs: Pick<JobQueue, 'addAll' | 'work'>;
  append: AppendEvents;
  runCheck: RunCheck;
  stored: Pick<StoredAmounts, 'note' | 'isFull'>;
};

/** Composes polls: what asks providers for changes, and what a provider's answers tell of its rate limit. */
export function createPolls(input: PollsInput) {
  const { providers, integrations, connecting, metrics, now, random, log } = input;
  const db = input.database.knex;
  const fingerprints = createFingerprintsStore();
  const connections = createPollConnectionsStore();
  const polledConnections = createPolledConnectionsStore();
  const allowancesStore = createAllowancesStore({ db });
  const allowances = createAllowances({ store: allowancesStore, now });
  const client = createIntegrationClient({ db, providers, integrations, publicUrl: input.config.publicUrl });
  const openConnection = createOpenConnection({ ...connecting, outbound: input.outbound, client, now });
  const callerOf = createCallerOf({ clientTokens: connecting.clientTokens });
  const takeStep = createTakeStep({
    db,
    connections,
    fingerprints,
    append: input.append,
    callerOf,
    noteAdded: (projectId, rows) => input.stored.note(projectId, 'fingerprints', { rows }),
    noteAnswer(task, { provider }, { status, headers }) {
      const watch = { allowanceId: allowanceIdOf(provider, task), rules: provider };
      const told = allowances.learn(watch, status, (name) => [headers[name.toLowerCase()] ?? []].flat()[0]);
      const { pausedForMs = null } = told ?? {};
      if (pausedForMs !== null) {
        throw new PollFailure('rate_limited', `The provider answered ${status}.`, pausedForMs);
      }
    },
  });
  const runPoll = createRunPoll({
    db,
    providers,
    connections,
    openConnection,
    allowances,
    takeStep,
    isFull: input.stored.isFull,
    countRun: metrics.countPollRun,
    random,
    log,
  });
  input.jobs.work(JOB, { concurrency: CONCURRENCY }, runPoll);

  const addJobs = (on: Db, due: readonly DuePoll[]): Promise<void> =>
    input.jobs.addAll(
      on,
      JOB,
      due.map((one) => ({ key: jobKeyOf(one), projectId: one.projectId })),
    );

  async function chooseConnection(
    { id, projectId }: Integration,
    connectionId: string | undefined,
  ): Promise<Pick<Connection, 'id' | 'accountId'> | undefined> {
    const filter = { projectIds: [projectId], integrationId: id, limit: 20 };
    if (connectionId === undefined) {
      const found = await input.connections.list(db, filter);
      return found.find(({ status }) => status === 'active');
    }
    const found = await input.connections.find(db, connectionId, [projectId]);
    return found?.integrationId === id ? found : undefined;
  }

  return {
    noteProxied: allowances.noteProxied,
    /** For a connection that the transaction moves to another account. */
    restart: async (trx: Db, connectionId: string) =>
      addJobs(trx, await connections.beginAnewWhereMoved(trx, connectionId)),
    fingerprints,
    chores: createPollChores({
      db,
      providers,
      connections,
      polledConnections,
      fingerprints,
      allowancesStore,
      allowances,
      addJobs,
      note: metrics.notePolls,
      now,
    }),
    endpoints: (principals: Pick<ReturnType<typeof composeIdentity>, 'access' | 'recordActivity'>) => [
      ...createPollsEndpoints({
        ...principals,
        db,
        providers,
        integrations,
        polls: createPollsStore(),
        connections,
        polledConnections,
        openConnection,
        chooseConnection,
        callerOf,
        runCheck: input.runCheck,
        addJobs,
        publicUrl: input.config.publicUrl,
        now,
      }),
      createPollResourcesEndpoint({ ...principals, providers }),
    ],
  };
}
