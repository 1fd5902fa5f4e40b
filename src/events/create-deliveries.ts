import type { RecordActivity } from '../activity/record.ts';
import type { Config } from '../config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createLookup, type ResolveName } from '../platform/address-guard.ts';
import type { Chore } from '../platform/chores.ts';
import { createDispatcher } from '../platform/dispatcher.ts';
import { createHandshakeFailures } from '../platform/handshake-failures.ts';
import type { JobQueue } from '../platform/job-queue.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { daysChore } from '../platform/postgres/daily-chores.ts';
import type { Database, Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { Access } from '../projects/access.ts';
import type { StoredAmounts } from '../projects/stored-amounts.ts';
import type { createEvents } from './create-events.ts';
import { createDeliveriesEndpoints } from './deliveries/deliveries.router.ts';
import { createDeliveriesWorker } from './deliveries/deliveries.worker.ts';
import { createDeliveryCausesEndpoints } from './deliveries/delivery-causes.router.ts';
import { createRedeliverEndpoints } from './deliveries/redeliver.router.ts';
import type { Destination, DisabledReason } from './destinations/destination.ts';
import { createDestinationActionsEndpoints } from './destinations/destination-actions.router.ts';
import { createDestinationContext } from './destinations/destination-context.ts';
import { createDestinationsEndpoints } from './destinations/destinations.router.ts';
import { createDestinationsStore } from './destinations/destinations.store.ts';
import {
  eraseLeftDeliveriesOfAnyProject,
  measureQueuesOfAnyProject,
} from './destinations/queue-depth.store.ts';
import { createSendTest } from './destinations/send-test.ts';
import { createReplaysEndpoints } from './replays/replays.router.ts';
import { createReplaysWorker } from './replays/replays.worker.ts';
import { createHttpSender } from './sending/http-sender.ts';

const DAY_MS = 24 * 3_600_000;
const SWEEP_MS = 10_000;
const MEASURE_MS = 15_000;
/** Ten of each destination, where all are at one origin: no project's destinations wait for sockets of another's. */
const SOCKETS_PER_DESTINATION = 10;
/** Less than servers usually keep an idle connection, so that none ends one which is being used. */
const IDLE_SOCKET_MS = 4_000;

type DeliveriesInput = {
  config: Config;
  database: Database;
  vault: Vault;
  log: Logger;
  metrics: Metrics;
  resolveName: ResolveName;
  now(): number;
  random(): number;
  access: Access;
  recordActivity: RecordActivity;
  jobs: Pick<JobQueue, 'add' | 'addAll' | 'work'>;
  stored: Pick<StoredAmounts, 'note'>;
  events: Pick<ReturnType<typeof createEvents>, 'dataKeys' | 'notices'>;
};

/** Composes the pushed half of the stream of events: destinations, deliveries, replays. Registers their jobs. */
export function createDeliveries(input: DeliveriesInput) {
  const { config, log, metrics, now, jobs, access, recordActivity } = input;
  const { publicUrl, allowPrivateNetworks } = config;
  const { dataKeys, notices } = input.events;
  const db = input.database.knex;
  const destinations = createDestinationsStore(input);
  const dispatcher = createDispatcher({
    allowPrivateNetworks,
    maxSockets: config.events.destinationsAtOnce * SOCKETS_PER_DESTINATION * 2,
    lookup: createLookup(input.resolveName, allowPrivateNetworks),
    failures: createHandshakeFailures(now),
    idleTimeoutMs: IDLE_SOCKET_MS,
  });
  const sender = createHttpSender({ dispatcher, now });

  async function disable(trx: Db, { id, projectId }: Destination, reason: DisabledReason): Promise<void> {
    if ((await destinations.disable(trx, id, reason)) === undefined) return;
    await recordActivity(trx, {
      actor: { kind: 'gateway' },
      action: 'event_destination.disabled',
      projectId,
      subjectId: id,
      details: { reason },
    });
    log.warn({ projectId, destinationId: id, reason }, 'an event destination is disabled: its events wait');
  }

  const worker = createDeliveriesWorker({
    ...input,
    db,
    dataKeys,
    destinations,
    sender,
    publicUrl,
    notices,
    disable,
    countDelivery: metrics.countDelivery,
    noteInserted: (projectId, rows) => input.stored.note(projectId, 'deliveries', { rows }),
    concurrency: config.events.destinationsAtOnce,
  });
  createReplaysWorker({ db, destinations, jobs, now, start: worker.start });

  const keepMs = config.events.keepDays * DAY_MS;
  const ownOrigins = [publicUrl, config.proxyUrl, config.webhookUrl].filter((origin) => origin !== undefined);
  const destinationContext = createDestinationContext({
    db,
    access,
    destinations,
    recordActivity,
    publicUrl,
    urlRules: { allowPrivateNetworks, ownOrigins },
  });
  const endpoints: Endpoint[] = [
    ...createDestinationsEndpoints(destinationContext),
    ...createDestinationActionsEndpoints({
      ...destinationContext,
      now,
      resume: worker.resume,
      sendTest: createSendTest({ db, destinations, sender, publicUrl }),
    }),
    ...createReplaysEndpoints({ ...destinationContext, jobs, keepMs, now }),
    ...createDeliveryCausesEndpoints({ ...destinationContext, now, start: worker.start }),
    ...createRedeliverEndpoints({ db, access, destinations, now, start: worker.start }),
    ...createDeliveriesEndpoints({ db, dataKeys, access, destinations, now, start: worker.start }),
  ];

  const chores: Chore[] = [
    { name: 'neglected event destinations', intervalMs: SWEEP_MS, runsAtStart: true, run: worker.sweep },
    {
      name: 'deliveries of deleted destinations',
      intervalMs: SWEEP_MS,
      run: (signal) => eraseLeftDeliveriesOfAnyProject(db, signal),
    },
    {
      name: 'event queues in numbers',
      intervalMs: MEASURE_MS,
      runsAtStart: true,
      run: async () => {
        const { waiting, oldestAt, disabled } = await measureQueuesOfAnyProject(db);
        const oldestSeconds = oldestAt === null ? 0 : Math.max(0, (now() - oldestAt.getTime()) / 1000);
        metrics.noteDeliveryQueues({ waiting, oldestSeconds, disabled });
      },
    },
    daysChore(db, 'deliveries', { now, keepDays: config.events.keepDays }),
  ];
  return { endpoints, chores, stop: () => void dispatcher.destroy() };
}
