import { Webhook } from 'standardwebhooks';
import {
  hastenDeliveries,
  redeliverEvent,
  replayDeliveries,
  retryDelivery,
} from '../../src/events/deliveries/deliveries.store.ts';
import type { Delivery } from '../../src/events/deliveries/delivery.ts';
import { listDeliveries } from '../../src/events/deliveries/delivery-lists.store.ts';
import { openAttempts } from '../../src/events/deliveries/delivery-outcomes.store.ts';
import type { Sent } from '../../src/events/sending/sender.ts';
import { findEvents } from '../../src/events/stream/events.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { accept, type Receiver, reply, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { createDeliveryStage, type DeliveryStage, newEvent } from './delivery-stage.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let stage: DeliveryStage;
let receiver: Receiver;
let projectId: string;

beforeAll(async () => {
  stage = await createDeliveryStage();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver?.close();
  await stage?.close();
});
beforeEach(async () => {
  projectId = await stage.createProject();
  receiver.answer = accept;
  receiver.received.length = 0;
  stage.clock.nowMs = Date.now();
  stage.disabled.length = 0;
});

/** In the order of their events; that of the list leaves open which of one millisecond comes first. */
async function deliveriesOf(destinationId: string): Promise<Delivery[]> {
  const found = await listDeliveries(stage.db, {
    projectIds: [projectId],
    destinationId,
    withAudit: true,
    beforeId: undefined,
    limit: 1000,
  });
  return found.toSorted((one, other) => (one.eventId < other.eventId ? -1 : 1));
}

const statesOf = async (id: string) => (await deliveriesOf(id)).map(({ state }) => state);
const receivedIds = () => receiver.received.map(({ id }) => id);

describe('a destination', () => {
  it('receives the events that it wants, signed, with their payload to the letter, once', async () => {
    const connectionId = newId();
    const { destination, secret } = await stage.createDestination(projectId, {
      url: `${receiver.url}?key=1`,
      types: ['crm.contact.*', 'crm.deal.created'],
      connectionIds: [connectionId],
    });
    const wanted = await stage.append(projectId, [
      newEvent('crm.contact.created', { connectionId }),
      newEvent('crm.deal.updated', { connectionId }),
      newEvent('crm.deal.created', { connectionId }),
      newEvent('crm.contact.created'),
    ]);
    expect(await stage.serve(destination.id)).toBeUndefined();
    expect(await stage.serve(destination.id)).toBeUndefined();
    expect(receivedIds().sort()).toEqual([wanted[0], wanted[2]].sort());
    for (const { headers, body, path } of receiver.received) {
      const event = new Webhook(secret).verify(body, {
        'webhook-id': String(headers['webhook-id']),
        'webhook-timestamp': String(headers['webhook-timestamp']),
        'webhook-signature': String(headers['webhook-signature']),
      });
      expect(event).toEqual(expect.objectContaining({ id: headers['webhook-id'], projectId, connectionId }));
      expect(body).toContain('"data":{"n":12345678901234567890}');
      expect(path).toBe('/events?key=1');
    }
    expect(await statesOf(destination.id)).toEqual(['delivered', 'delivered']);
  });

  it('receives nothing that happened before it was made', async () => {
    await stage.append(projectId, [newEvent()]);
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    await stage.serve(destination.id);
    expect(receiver.received).toEqual([]);
  });

  it('gets nothing unsigned where it is deleted while it is about to be served', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    await stage.append(projectId, [newEvent()]);
    receiver.answer = reply(500);
    await stage.serve(destination.id);
    receiver.received.length = 0;
    stage.clock.nowMs += HOUR_MS;
    const found = await stage.read(destination.id);
    await stage.destinations.remove(stage.db, found);
    expect(await stage.sliceOf(found).run(new AbortController().signal)).toBeUndefined();
    expect(receiver.received).toEqual([]);
  });

  it('receives CloudEvents where it asks for them', async () => {
    const { destination } = await stage.createDestination(projectId, {
      url: receiver.url,
      format: 'cloudevents',
    });
    const object = { type: 'contact', id: '7', change: 'updated' } as const;
    const [id] = await stage.append(projectId, [newEvent('crm.contact.updated', { object })]);
    await stage.serve(destination.id);
    const [{ headers, body }] = receiver.received as [Receiver['received'][number]];
    expect(headers['content-type']).toBe('application/cloudevents+json');
    expect(JSON.parse(body)).toEqual(
      expect.objectContaining({
        specversion: '1.0',
        id,
        type: 'crm.contact.updated',
        source: `https://gateway.test/projects/${projectId}`,
        subject: 'contact/7',
        datacontenttype: 'application/json',
        data: expect.objectContaining({ id, object }),
      }),
    );
    expect(body).toContain('"data":{"n":12345678901234567890}');
  });

  it('gets signatures of both secrets while one is rotated, and of the new one alone a day later', async () => {
    const { destination, secret: older } = await stage.createDestination(projectId, { url: receiver.url });
    const newer = (await stage.destinations.rotateSecret(stage.db, destination)) ?? '';
    await stage.append(projectId, [newEvent()]);
    await stage.serve(destination.id);
    const verifies = (secret: string) => {
      const last = receiver.received.at(-1);
      const fields = Object.fromEntries(
        Object.entries(last?.headers ?? {}).map(([name, value]) => [name, String(value)]),
      );
      try {
        new Webhook(secret).verify(last?.body ?? '', fields);
        return true;
      } catch {
        return false;
      }
    };
    expect([older, newer].map(verifies)).toEqual([true, true]);
    await stage
      .db('event_destinations')
      .where({ id: destination.id })
      .update({ secret_rotated_at: stage.db.raw(`now() - interval '25 hours'`) });
    await stage.append(projectId, [newEvent()]);
    await stage.serve(destination.id);
    expect([older, newer].map(verifies)).toEqual([false, true]);
  });

  it('gets ten attempts in all, at the times of the schedule, and then none', async () => {
    receiver.answer = reply(500);
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    const [id] = await stage.append(projectId, [newEvent()]);
    const startMs = stage.clock.nowMs;
    const pauses: number[] = [];
    let lastMs = startMs;
    for (;;) {
      const end = await stage.serve(destination.id);
      if (receiver.received.length > pauses.length) {
        pauses.push(stage.clock.nowMs - lastMs);
        lastMs = stage.clock.nowMs;
      }
      if (end === undefined) break;
      stage.clock.nowMs = end.runAgainAt.getTime();
    }
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR_MS);
    expect(pauses).toEqual([0, 5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, ...hours]);
    expect(new Set(receivedIds())).toEqual(new Set([id]));
    const [delivery] = await deliveriesOf(destination.id);
    expect(delivery?.state).toBe('dead');
    const attempts = await openAttempts(stage.db, stage.dataKeys, delivery as Delivery);
    expect(attempts.map(({ status, error }) => [status, error])).toEqual(
      new Array(10).fill([500, 'refused_by_receiver']),
    );
  });

  it('is left in peace for as long as it asks, up to a day', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    receiver.answer = reply(429, { 'retry-after': '7200' });
    await stage.append(projectId, [newEvent(), newEvent()]);
    expect((await stage.serve(destination.id))?.runAgainAt.getTime()).toBe(stage.clock.nowMs + 2 * HOUR_MS);
    expect(receiver.received.length).toBe(1);
    receiver.answer = reply(503, { 'retry-after': String(3 * 86_400) });
    stage.clock.nowMs += 2 * HOUR_MS;
    const end = await stage.serve(destination.id);
    expect(end?.runAgainAt.getTime()).toBe(stage.clock.nowMs + DAY_MS);
    receiver.answer = accept;
    stage.clock.nowMs += DAY_MS;
    await stage.serve(destination.id);
    expect(await statesOf(destination.id)).toEqual(['delivered', 'delivered']);
  });

  it('can give up one event alone', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    const [first] = await stage.append(projectId, [newEvent(), newEvent()]);
    receiver.answer = (response, { id }) =>
      id === first ? reply(400, { 'webhook-delivery': 'abort-message' })(response) : response.end();
    await stage.serve(destination.id);
    expect((await statesOf(destination.id)).sort()).toEqual(['dead', 'delivered']);
    expect((await stage.read(destination.id)).failures).toBe(0);
  });

  it('is disabled by 410, and goes on where it was once it is enabled', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    receiver.answer = reply(410);
    const ids = [...(await stage.append(projectId, [newEvent()]))];
    await stage.serve(destination.id);
    expect((await stage.read(destination.id)).disabledReason).toBe('gone');
    ids.push(...(await stage.append(projectId, [newEvent(), newEvent()])));
    await stage.serve(destination.id);
    expect(receiver.received.length).toBe(1);
    receiver.answer = accept;
    receiver.received.length = 0;
    await stage.destinations.enable(stage.db, destination.id);
    await hastenDeliveries(stage.db, destination.id, new Date(stage.clock.nowMs));
    await stage.serve(destination.id);
    expect(receivedIds().sort()).toEqual(ids.sort());
    expect(await statesOf(destination.id)).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('is disabled after five days without a success, and not by a failure now and then', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    receiver.answer = reply(500);
    const startMs = stage.clock.nowMs;
    await stage.append(projectId, [newEvent()]);
    while (stage.clock.nowMs < startMs + 4.9 * DAY_MS) {
      await stage.serve(destination.id);
      expect((await stage.read(destination.id)).disabledReason).toBeNull();
      stage.clock.nowMs += 12 * HOUR_MS;
      await stage.append(projectId, [newEvent()]);
    }
    await stage.serve(destination.id);
    expect((await stage.read(destination.id)).disabledReason).toBe('failing');
    expect(stage.disabled).toEqual(['failing']);
    const other = await stage.createDestination(projectId, { url: receiver.url });
    for (let week = 0; week < 3; week += 1) {
      stage.clock.nowMs += 7 * DAY_MS;
      await stage.append(projectId, [newEvent()]);
      await stage.serve(other.destination.id);
    }
    expect((await stage.read(other.destination.id)).disabledReason).toBeNull();
  });
});

describe('a failing destination', () => {
  it('is probed with one delivery at a time, ever less often, and gets all as soon as it takes one', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    receiver.answer = reply(500);
    await stage.append(projectId, new Array(40).fill(newEvent()));
    const probes: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const before = receiver.received.length;
      const end = await stage.serve(destination.id);
      probes.push(receiver.received.length - before);
      stage.clock.nowMs = end?.runAgainAt.getTime() ?? Number.NaN;
    }
    expect(probes).toEqual([3, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect((await stage.read(destination.id)).lane).toBe('deliver-failing');
    receiver.answer = accept;
    await stage.serve(destination.id);
    stage.clock.nowMs += DAY_MS;
    await stage.serve(destination.id);
    expect((await stage.read(destination.id)).lane).toBe('deliver');
    expect(new Set(await statesOf(destination.id))).toEqual(new Set(['delivered']));
  });

  it('never has more than ten requests at a time while it is well', async () => {
    const slow = await startReceiver((response) => setTimeout(() => response.end(), 5));
    const { destination } = await stage.createDestination(projectId, { url: slow.url });
    await stage.append(projectId, new Array(60).fill(newEvent()));
    await stage.serve(destination.id);
    await slow.close();
    expect(slow.received.length).toBe(60);
    expect(slow.openMax()).toBeGreaterThan(1);
    expect(slow.openMax()).toBeLessThanOrEqual(10);
  });

  it('leaves its events in the feed where too many deliveries wait, and gets them all once it takes them', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    const ids = await stage.append(projectId, new Array(30).fill(newEvent()));
    receiver.answer = reply(500);
    await stage.serve(destination.id, undefined, { waitingMax: 10 });
    expect((await statesOf(destination.id)).length).toBe(10);
    receiver.answer = accept;
    await until(async () => {
      const end = await stage.serve(destination.id, undefined, { waitingMax: 10 });
      stage.clock.nowMs = end?.runAgainAt.getTime() ?? stage.clock.nowMs;
      return end === undefined;
    });
    expect(new Set(receivedIds())).toEqual(new Set(ids));
  });

  it.each([
    ['new', false],
    ['sent again', true],
  ])('has a bounded part of its large events in memory, %s', async (_title, isAgain) => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    const dataText = JSON.stringify('x'.repeat(10_000));
    const ids = await stage.append(projectId, new Array(30).fill(newEvent('crm.large', { dataText })));
    const rows = await findEvents(stage.db, projectId, ids);
    if (isAgain) {
      await replayDeliveries(stage.db, destination, rows, { states: null, now: new Date(stage.clock.nowMs) });
      await stage
        .db('event_destinations')
        .where({ id: destination.id })
        .update({ position: rows.at(-1)?.position });
    }
    await stage
      .db('event_destinations')
      .where({ id: destination.id })
      .update({ last_success_at: new Date() });
    let openMax = 0;
    let open = 0;
    const sender = {
      send: async () => {
        open += 1;
        openMax = Math.max(openMax, open);
        // Long enough for everything that may be loaded beside it.
        await stage.db.raw('SELECT pg_sleep(0.06)');
        open -= 1;
        return { durationMs: 1, status: 200 };
      },
    };
    await stage.serve(destination.id, sender, { heldBytesMax: 30_000 });
    expect(await statesOf(destination.id)).toEqual(new Array(30).fill('delivered'));
    expect(openMax).toBeGreaterThan(1);
    expect(openMax).toBeLessThanOrEqual(4);
  });
});

describe('a destination that keeps the order of connections', () => {
  it('receives the events of each in order, beside those of others, and none before one that failed', async () => {
    const [a, b] = [newId(), newId()];
    const { destination } = await stage.createDestination(projectId, {
      url: receiver.url,
      ordered: 'connection',
    });
    const open = new Map<string, number>();
    let isFailing = true;
    const orderOf = new Map<string, string[]>([
      [a, []],
      [b, []],
    ]);
    let overlaps = 0;
    receiver.answer = (response, { body }) => {
      const { connectionId, id } = JSON.parse(body);
      open.set(connectionId, (open.get(connectionId) ?? 0) + 1);
      if ((open.get(connectionId) ?? 0) > 1) overlaps += 1;
      setTimeout(() => {
        open.set(connectionId, 0);
        const isRefused = isFailing && connectionId === a && orderOf.get(a)?.length === 3;
        if (!isRefused) orderOf.get(connectionId)?.push(id);
        response.writeHead(isRefused ? 500 : 200).end();
      }, 2);
    };
    const events = Array.from({ length: 120 }, (_, index) =>
      newEvent('crm.contact.updated', { connectionId: index % 2 === 0 ? a : b }),
    );
    const ids = await stage.append(projectId, events);
    const expected = (of: string) => ids.filter((_, index) => events[index]?.connectionId === of);
    const end = await stage.serve(destination.id);
    expect(orderOf.get(b)).toEqual(expected(b));
    expect(orderOf.get(a)).toEqual(expected(a).slice(0, 3));
    expect(end?.runAgainAt.getTime()).toBe(stage.clock.nowMs + 5 * SECOND_MS);
    isFailing = false;
    await stage.append(projectId, [newEvent('crm.contact.updated', { connectionId: b })]);
    stage.clock.nowMs += 5 * SECOND_MS;
    await stage.serve(destination.id);
    expect(orderOf.get(a)).toEqual(expected(a));
    expect(orderOf.get(b)?.length).toBe(61);
    expect(overlaps).toBe(0);
  });
});

describe('a process that dies', () => {
  it('while events are in flight has them sent again, under the same id, and loses none', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    const ids = await stage.append(projectId, new Array(5).fill(newEvent()));
    receiver.answer = () => undefined;
    // Its outcomes are never written, as if the process had been killed.
    const stopped = new AbortController();
    void stage
      .sliceOf(await stage.read(destination.id), {
        send: (target, message) =>
          stage.httpSender.send(target, message, stopped.signal).then(() => new Promise(() => undefined)),
      })
      .run(new AbortController().signal);
    await until(() => receiver.received.length > 0);
    stopped.abort();
    const [inFlight] = receivedIds();
    receiver.answer = accept;
    await stage.serve(destination.id);
    const counts = new Map(ids.map((id) => [id, receivedIds().filter((one) => one === id).length]));
    expect(counts.get(inFlight ?? '')).toBe(2);
    expect([...counts.values()].filter((count) => count === 1).length).toBe(4);
    expect(new Set(await statesOf(destination.id))).toEqual(new Set(['delivered']));
  });

  it('leaves the cursor to one of two that serve the same destination', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    const ids = await stage.append(projectId, new Array(30).fill(newEvent()));
    const stale = await stage.read(destination.id);
    await stage.serve(destination.id);
    await stage.append(projectId, [newEvent()]);
    const end = await stage.sliceOf(stale).run(new AbortController().signal);
    expect(end?.runAgainAt.getTime()).toBe(stage.clock.nowMs);
    await stage.serve(destination.id);
    expect(receivedIds().length).toBe(ids.length + 1);
  });
});

describe('a process that stood still in the midst of an attempt', () => {
  it('leaves what the process that took its place has written, of the delivery and of the destination', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    await stage.append(projectId, [newEvent()]);
    const begun = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<Sent>();
    const send = () => {
      begun.resolve();
      return sent.promise;
    };
    const still = stage.sliceOf(await stage.read(destination.id), { send }).run(new AbortController().signal);
    await begun.promise;
    await stage.serve(destination.id);
    const delivered = await deliveriesOf(destination.id);
    sent.resolve({ durationMs: 15_000, error: 'timeout' });
    expect((await still)?.runAgainAt.getTime()).toBe(stage.clock.nowMs);
    expect(delivered).toMatchObject([{ state: 'delivered', nextAttemptAt: null }]);
    expect(await deliveriesOf(destination.id)).toEqual(delivered);
    expect(await stage.read(destination.id)).toMatchObject({ failures: 0, lastFailure: null });
  });
});

describe('an event', () => {
  it('comes again when its delivery is retried or replayed, and only then', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    const ids = await stage.append(projectId, [newEvent(), newEvent(), newEvent()]);
    receiver.answer = (response, { id }) => {
      if (id === ids[1]) reply(400, { 'webhook-delivery': 'abort-message' })(response);
      else response.end();
    };
    await stage.serve(destination.id);
    const [first] = await deliveriesOf(destination.id);
    receiver.received.length = 0;
    receiver.answer = accept;
    const now = new Date(stage.clock.nowMs);
    await retryDelivery(stage.db, first as Delivery, now);
    await stage.serve(destination.id);
    expect(receivedIds()).toEqual([ids[0]]);
    const rows = await findEvents(stage.db, projectId, ids);
    receiver.received.length = 0;
    await replayDeliveries(stage.db, destination, rows, { states: ['dead'], now });
    await stage.serve(destination.id);
    expect(receivedIds()).toEqual([ids[1]]);
    receiver.received.length = 0;
    await replayDeliveries(stage.db, destination, rows, { states: null, now });
    await replayDeliveries(stage.db, destination, rows, { states: null, now });
    await stage.serve(destination.id);
    expect(receivedIds().sort()).toEqual([...ids].sort());
    const [again] = await deliveriesOf(destination.id);
    expect((await openAttempts(stage.db, stage.dataKeys, again as Delivery)).length).toBe(3);
  });

  it.each(['works', 'fails'])(
    'that is sent again while an attempt is on its way comes once more, also where the first %s',
    async (how) => {
      const { destination } = await stage.createDestination(projectId, { url: receiver.url });
      const [id] = await stage.append(projectId, [newEvent()]);
      const held = Promise.withResolvers<() => void>();
      receiver.answer = (response) => {
        held.resolve(() => (how === 'works' ? response.end() : reply(500)(response)));
      };
      const serving = stage.serve(destination.id);
      const finish = await held.promise;
      stage.clock.nowMs += SECOND_MS;
      const [event] = await findEvents(stage.db, projectId, [id ?? '']);
      if (event === undefined) throw new Error('The event is gone');
      await redeliverEvent(stage.db, destination, event, new Date(stage.clock.nowMs));
      receiver.answer = accept;
      finish();
      await serving;
      await stage.serve(destination.id);
      expect(receivedIds()).toEqual([id, id]);
      await stage.serve(destination.id);
      expect(receivedIds()).toEqual([id, id]);
      const [delivery] = await deliveriesOf(destination.id);
      expect(delivery).toMatchObject({ state: 'delivered', attemptsMade: 1, nextAttemptAt: null });
      expect((await openAttempts(stage.db, stage.dataKeys, delivery as Delivery)).length).toBe(2);
    },
  );

  it.each(['none', 'connection'] as const)(
    'that is sent again by hand before the destination has come to it comes once, ordered %s',
    async (ordered) => {
      const { destination } = await stage.createDestination(projectId, { url: receiver.url, ordered });
      const ids = await stage.append(projectId, [newEvent(), newEvent(), newEvent()]);
      const [event] = await findEvents(stage.db, projectId, [ids[1] ?? '']);
      if (event === undefined) throw new Error('The event is gone');
      await redeliverEvent(stage.db, destination, event, new Date(stage.clock.nowMs));
      await stage.serve(destination.id);
      expect(receivedIds().sort()).toEqual([...ids].sort());
    },
  );

  it('that is not kept any more makes its delivery dead without an attempt', async () => {
    const { destination } = await stage.createDestination(projectId, { url: receiver.url });
    receiver.answer = reply(500);
    await stage.append(projectId, [newEvent()]);
    const end = await stage.serve(destination.id);
    await stage.db('events').where({ project_id: projectId }).delete();
    stage.clock.nowMs = end?.runAgainAt.getTime() ?? 0;
    await stage.serve(destination.id);
    const [delivery] = await deliveriesOf(destination.id);
    expect([delivery?.state, delivery?.lastError, receiver.received.length]).toEqual([
      'dead',
      'event_expired',
      1,
    ]);
  });
});
