import type { RecordActivity } from '../activity/record.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createLookup, type ResolveName } from '../platform/address-guard.ts';
import type { Chore } from '../platform/chores.ts';
import { createDispatcher } from '../platform/dispatcher.ts';
import { createHandshakeFailures } from '../platform/handshake-failures.ts';
import type { JobQueue } from '../platform/job-queue.ts';
import type { Kit } from '../platform/kit.ts';
import { daysChore } from '../platform/postgres/daily-chores.ts';
import type { Access } from '../projects/access.ts';
import type { TransactionScope } from '../projects/create-projects.ts';
import type { Holds } from '../projects/holds.ts';
import type { StoredAmounts } from '../projects/stored-amounts.ts';
import type { Events } from './create-events.ts';
import { createDeliveriesEndpoints } from './deliveries/deliveries.router.ts';
import { createDeliveriesWorker } from './deliveries/deliveries.worker.ts';
import { createDeliveryCausesEndpoints } from './deliveries/delivery-causes.router.ts';
import { createRedeliverEndpoints } from './deliveries/redeliver.router.ts';
import { createDestinationActionsEndpoints } from './destinations/destination-actions.router.ts';
import { createDestinationContext } from './destinations/destination-context.ts';
import { createDestinationsEndpoints } from './destinations/destinations.router.ts';
import { findState } from './destinations/destinations.schema.ts';
import { createDestinationsStore } from './destinations/destinations.store.ts';
import { createDisableDestination } from './destinations/disable-destination.ts';
import {
  eraseLeftDeliveriesOfAnyProject,
  measureQueuesOfAnyProject,
} from './destinations/queue-depth.store.ts';
import { createSendTest } from './destinations/send-test.ts';
import { createReplaysEndpoints } from './replays/replays.router.ts';
import { createReplaysWorker } from './replays/replays.worker.ts';
import { createHttpSender } from './sending/http-sender.ts';
import { createKafkaSender } from './sending/kafka-sender.ts';
import { createSender, type Sender } from './sending/sender.ts';
import { traceSender } from './sending/traced-sender.ts';

const DAY_MS = 24 * 3_600_000;
const SWEEP_MS = 10_000;
const MEASURE_MS = 15_000;
/** Ten of each destination, where all are at one origin: no project's destinations wait for sockets of another's. */
const SOCKETS_PER_DESTINATION = 10;
/** Less than servers usually keep an idle connection, so that none ends one which is being used. */
const IDLE_SOCKET_MS = 4_000;

export type DeliveriesInput = Pick<
  Kit,
  'db' | 'vault' | 'log' | 'metrics' | 'telemetry' | 'now' | 'random' | 'publicUrl'
> & {
  readonly resolveName: ResolveName;
  readonly recordActivity: RecordActivity;
  readonly jobs: Pick<JobQueue, 'add' | 'addAll' | 'work'>;
  readonly stored: Pick<StoredAmounts, 'note'>;
  readonly events: Pick<Events, 'dataKeys' | 'notices'>;
  readonly holds: Pick<Holds, 'assertNotHeld' | 'isHeld' | 'isRestored'>;
  readonly keepDays: number;
  /** Destinations that one process serves at the same time. */
  readonly destinationsAtOnce: number;
  readonly allowPrivateNetworks: boolean;
  /** The origins of this gateway, which no destination may be at. */
  readonly ownOrigins: readonly string[];
  /** The time that messages carry, which receivers compare with their own; left out: `now`. */
  readonly sentNow?: () => number;
};

/** Builds the pushed half of the stream of events: destinations, deliveries, replays. Registers their jobs. */
export function createDeliveries(input: DeliveriesInput) {
  const { db, keepDays, now, sentNow = now } = input;
  const dispatcher = buildDispatcher(input);
  const kafka = createKafkaSender({
    ...input,
    now: sentNow,
    lookup: createLookup(input.resolveName, input.allowPrivateNetworks),
  });
  const parts = {
    ...input,
    ...input.events,
    destinations: createDestinationsStore(input),
    sender: traceSender(
      input.telemetry.tracing,
      createSender({ http: createHttpSender({ dispatcher, now: sentNow }), kafka }),
    ),
  };
  const worker = createDeliveriesWorker({
    ...parts,
    ...input.holds,
    disable: createDisableDestination(parts),
    countDelivery: input.metrics.countDelivery,
    noteInserted: (projectId, rows) => input.stored.note(projectId, 'deliveries', { rows }),
    concurrency: input.destinationsAtOnce,
  });
  createReplaysWorker({ ...parts, start: worker.start });
  return {
    endpoints: (above: { readonly access: Access }) =>
      buildEndpoints({ ...parts, ...above, start: worker.start, resume: worker.resume }),
    /** The operations on destinations, in a transaction. */
    destinationsOn: (above: TransactionScope) =>
      createDestinationsEndpoints(createDestinationContext({ ...parts, ...above, urlRules: rulesOf(input) })),
    wake: worker.wake,
    /** Destinations of a project that take nothing, unless an operator disabled them. */
    async listTroubled(projectId: string) {
      const all = await parts.destinations.list(db, [projectId]);
      return all.flatMap((destination) => {
        const { id, url, disabledReason } = destination;
        const state = findState(destination);
        return state === 'healthy' || disabledReason === 'operator' ? [] : [{ id, url, state }];
      });
    },
    chores: [
      {
        name: 'neglected event destinations',
        intervalMs: SWEEP_MS,
        runsAtStart: true,
        run: worker.sweep,
      },
      {
        name: 'deliveries of deleted destinations',
        intervalMs: SWEEP_MS,
        run: (signal) => eraseLeftDeliveriesOfAnyProject(db, signal),
      },
      createQueuesChore(input),
      daysChore(db, 'deliveries', { now, keepDays }),
    ] satisfies Chore[],
    stop() {
      kafka.stop();
      void dispatcher.destroy();
    },
  };
}

function buildDispatcher(input: DeliveriesInput) {
  const { allowPrivateNetworks } = input;
  return createDispatcher({
    allowPrivateNetworks,
    maxSockets: input.destinationsAtOnce * SOCKETS_PER_DESTINATION * 2,
    lookup: createLookup(input.resolveName, allowPrivateNetworks),
    failures: createHandshakeFailures(input.now),
    idleTimeoutMs: IDLE_SOCKET_MS,
  });
}

function rulesOf({ allowPrivateNetworks, ownOrigins }: DeliveriesInput) {
  return { allowPrivateNetworks, ownOrigins };
}

function buildEndpoints(
  input: DeliveriesInput & {
    readonly access: Access;
    readonly dataKeys: Events['dataKeys'];
    readonly destinations: ReturnType<typeof createDestinationsStore>;
    readonly sender: Sender;
  } & Pick<ReturnType<typeof createDeliveriesWorker>, 'start' | 'resume'>,
): Endpoint[] {
  const context = createDestinationContext({ ...input, urlRules: rulesOf(input) });
  const deps = { ...input, ...context, keepMs: input.keepDays * DAY_MS };
  return [
    ...createDestinationsEndpoints(context),
    ...createDestinationActionsEndpoints({ ...deps, sendTest: createSendTest({ ...input, ...input.holds }) }),
    ...createReplaysEndpoints(deps),
    ...createDeliveryCausesEndpoints(deps),
    ...createRedeliverEndpoints(deps),
    ...createDeliveriesEndpoints(deps),
  ];
}

function createQueuesChore({ db, metrics, now }: Pick<Kit, 'db' | 'metrics' | 'now'>): Chore {
  return {
    name: 'event queues in numbers',
    intervalMs: MEASURE_MS,
    runsAtStart: true,
    async run() {
      const { waiting, oldestAt, disabled } = await measureQueuesOfAnyProject(db);
      const oldestSeconds = oldestAt === null ? 0 : Math.max(0, (now() - oldestAt.getTime()) / 1000);
      metrics.noteDeliveryQueues({ waiting, oldestSeconds, disabled });
    },
  };
}
