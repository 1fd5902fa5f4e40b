import { setTimeout as delay } from 'node:timers/promises';
import { createSendTest } from '../../src/events/destinations/send-test.ts';
import { eventsQuery } from '../../src/events/reading/events.schema.ts';
import { createReadEvents } from '../../src/events/reading/read-events.ts';
import { createPlanReplay } from '../../src/events/replays/plan-replay.ts';
import { insertReplay } from '../../src/events/replays/replays.store.ts';
import type { Sender } from '../../src/events/sending/sender.ts';
import { createAppendNotices } from '../../src/events/stream/append-notices.ts';
import { BEFORE_ALL_EVENTS } from '../../src/events/stream/event.ts';
import { until } from '../support/until.ts';
import { createDeliveryStage, type DeliveryStage, newEvent } from './delivery-stage.ts';

let stage: DeliveryStage;
let mine: string;
let others: string;
const url = 'http://receiver.test/';

beforeAll(async () => {
  stage = await createDeliveryStage();
});
afterAll(() => stage?.close());
beforeEach(async () => {
  mine = await stage.createProject();
  others = await stage.createProject();
});

/** Answers nothing until the test lets it. */
function createHangingSender() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const urls: string[] = [];
  const sender: Sender = {
    async send(to) {
      urls.push(to.url);
      await promise;
      return { durationMs: 1, status: 200 };
    },
  };
  return { sender, urls, release: resolve };
}

describe('one project cannot keep the others from', () => {
  it('testing their destinations', async () => {
    const { sender, release } = createHangingSender();
    const sendTest = createSendTest({ ...stage, sender, publicUrl: 'https://gateway.test' });
    const signal = new AbortController().signal;
    const test = async (projectId: string) =>
      sendTest((await stage.createDestination(projectId, { url })).destination, signal);
    const five = Array.from({ length: 5 }, () => test(mine));
    await delay(0);
    await until(async () => {
      const sixth = test(mine);
      return (await Promise.race([sixth, delay(20, 'hangs')])) === undefined;
    });
    const other = test(others);
    release();
    expect(await other).toEqual(expect.objectContaining({ delivered: true }));
    await Promise.all(five);
  });

  it('replaying events', async () => {
    const plan = createPlanReplay({ db: stage.db, keepMs: 86_400_000, now: () => stage.clock.nowMs });
    const body = { from: '2026-01-01T00:00:00Z' };
    const newDestination = async (projectId: string) =>
      (await stage.createDestination(projectId, { url })).destination;
    for (let count = 0; count < 10; count += 1) {
      await insertReplay(stage.db, await plan(await newDestination(mine), body));
    }
    const refused = plan(await newDestination(mine), body);
    await expect(refused).rejects.toEqual(expect.objectContaining({ code: 'replay_limit' }));
    expect(await plan(await newDestination(others), body)).toEqual(expect.objectContaining({ position: 0 }));
  });

  it('reading the store, by callers that wait for events which never come', async () => {
    const notices = createAppendNotices({ notify: async () => undefined });
    const readEvents = createReadEvents({
      ...stage,
      notices,
      keepDays: 30,
      isDraining: () => false,
      now: Date.now,
    });
    const isLook = ({ sql }: { sql: string }) => sql.includes('is_wanted');
    let looks = 0;
    const count = (query: { sql: string }) => {
      if (isLook(query)) looks += 1;
    };
    stage.db.on('query', count);
    const query = eventsQuery.parse({ after: BEFORE_ALL_EVENTS, types: 'none.*', wait: '1' });
    const reading = readEvents(mine, query, new AbortController().signal);
    const appends = 40;
    for (let one = 0; one < appends; one += 1) {
      await stage.append(mine, [newEvent()]);
      notices.noteAppended(mine);
    }
    await reading;
    stage.db.off('query', count);
    expect(looks).toBeGreaterThan(1);
    expect(looks).toBeLessThan(appends / 3);
  });
});
