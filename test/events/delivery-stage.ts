import {
  DeliverySlice,
  type SliceDependencies,
  type SliceEnd,
} from '../../src/events/deliveries/delivery-slice.ts';
import type {
  Destination,
  DestinationFields,
  DisabledReason,
} from '../../src/events/destinations/destination.ts';
import { createDestinationsStore } from '../../src/events/destinations/destinations.store.ts';
import { createHttpSender } from '../../src/events/sending/http-sender.ts';
import { createKafkaSender } from '../../src/events/sending/kafka-sender.ts';
import { createSender, type Sender } from '../../src/events/sending/sender.ts';
import { createAppendNotices } from '../../src/events/stream/append-notices.ts';
import type { NewEvent } from '../../src/events/stream/event.ts';
import { createEventStream } from '../../src/events/stream/stream.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLookup } from '../../src/platform/address-guard.ts';
import { createDataKeys } from '../../src/platform/data-keys.ts';
import { createDispatcher } from '../../src/platform/dispatcher.ts';
import { createHandshakeFailures } from '../../src/platform/handshake-failures.ts';
import { createResolver } from '../../src/platform/resolver.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createTestVault, insertProject } from '../support/rows.ts';

export type DeliveryStage = Awaited<ReturnType<typeof createDeliveryStage>>;

/** A store, a feed, and what serves destinations, without the queue that would run it. Its clock stands still. */
export async function createDeliveryStage() {
  const database = await createTestDatabase();
  const vault = createTestVault();
  const dataKeys = createDataKeys({ vault });
  const db = database.knex;
  const destinations = createDestinationsStore({ vault });
  const stream = createEventStream({
    db,
    dataKeys,
    notices: createAppendNotices({ notify: async () => undefined }),
    log: { warn: () => undefined },
  });
  const dispatcher = createDispatcher({
    allowPrivateNetworks: true,
    maxSockets: 20,
    lookup: createLookup(createResolver(), true),
    failures: createHandshakeFailures(Date.now),
    idleTimeoutMs: 4_000,
  });
  const clock = { nowMs: Date.now() };
  const counted: string[] = [];
  const disabled: DisabledReason[] = [];
  const kafkaSender = createKafkaSender({
    lookup: createLookup(createResolver(), true),
    allowPrivateNetworks: true,
    now: Date.now,
    attemptLimitMs: 5_000,
  });
  const http = createHttpSender({ dispatcher, now: Date.now, attemptLimitMs: 500 });
  const httpSender = createSender({ http, kafka: kafkaSender });

  type Changes = Partial<SliceDependencies>;

  function sliceOf(destination: Destination, sender: Sender = httpSender, changes: Changes = {}) {
    return new DeliverySlice(
      {
        db,
        dataKeys,
        destinations,
        sender,
        publicUrl: 'https://gateway.test',
        now: () => clock.nowMs,
        random: () => 0,
        countDelivery: (outcome) => counted.push(outcome),
        disable: async (trx, { id }, reason) => {
          await destinations.disable(trx, id, reason);
          disabled.push(reason);
        },
        ...changes,
      },
      destination,
    );
  }

  async function read(id: string): Promise<Destination> {
    const found = await destinations.findById(db, id);
    if (found === undefined) throw new Error('no such destination');
    return found;
  }

  return {
    db,
    databaseUrl: database.url,
    dataKeys,
    destinations,
    clock,
    counted,
    disabled,
    httpSender,
    sliceOf,
    read,
    createProject: () => insertProject(db),
    async createDestination(
      projectId: string,
      fields: Partial<DestinationFields> & { url: string; kafkaPassword?: string },
    ): Promise<{ destination: Destination; secret: string }> {
      return destinations.insert(db, {
        kafka: null,
        types: ['*'],
        tags: {},
        connectionIds: null,
        description: null,
        ordered: 'none',
        format: 'standard',
        ...fields,
        projectId,
        createdBy: newId(),
      });
    },
    append: (projectId: string, events: readonly NewEvent[]) =>
      db.transaction((trx) => stream.append(trx, projectId, events)),
    /** Serves the destination until it has nothing to do now. */
    async serve(id: string, sender?: Sender, changes?: Changes): Promise<SliceEnd> {
      for (;;) {
        const destination = await read(id);
        if (destination.disabledReason !== null) return undefined;
        const end = await sliceOf(destination, sender, changes).run(new AbortController().signal);
        if (end === undefined || end.runAgainAt.getTime() > clock.nowMs) return end;
      }
    },
    async close(): Promise<void> {
      kafkaSender.stop();
      await dispatcher.destroy();
      await database.drop();
    },
  };
}

export function newEvent(type = 'crm.contact.updated', fields: Partial<NewEvent> = {}): NewEvent {
  const ids = { integrationId: null, connectionId: null, integrationUserId: null, userId: null };
  return { type, source: 'webhook', ...ids, dataText: '{"n":12345678901234567890}', ...fields };
}
