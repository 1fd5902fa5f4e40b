import knexModule, { type Knex } from 'knex';
import type { DestinationOrder } from '../../src/events/destinations/destination.ts';
import type { Sender, Sent } from '../../src/events/sending/sender.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createDeliveryStage, type DeliveryStage, newEvent } from './delivery-stage.ts';

/** A process that is killed at its n-th step: a statement, a message that goes out, or an answer that comes in. */
type Life = { readonly db: Knex; readonly killed: Promise<'killed'>; step(): void; isDead(): boolean };

type Scenario = {
  readonly title: string;
  readonly ordered?: DestinationOrder;
  /** What the receiver answers to the n-th message that reaches it. */
  answer(count: number): Sent;
};

const OK: Sent = { durationMs: 1, status: 200 };
const REFUSED: Sent = { durationMs: 1, status: 500, error: 'refused_by_receiver' };
const EVENTS = 15;
/** Tried at the same time, each in a project of its own. */
const AT_ONCE = 6;

const SCENARIOS: readonly Scenario[] = [
  { title: 'takes everything', answer: () => OK },
  { title: 'refuses the first message', answer: (count) => (count === 1 ? REFUSED : OK) },
  {
    title: 'keeps the order of connections and refuses the second message',
    ordered: 'connection',
    answer: (count) => (count === 2 ? REFUSED : OK),
  },
];

let stage: DeliveryStage;
let kills = 0;

beforeAll(async () => {
  stage = await createDeliveryStage();
});
afterAll(() => stage?.close());

function startLife(killAt: number): Life & { close(): Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<'killed'>();
  const streams: { destroy(): void }[] = [];
  let steps = 0;
  let isDead = false;
  function step(): void {
    steps += 1;
    if (steps === killAt) {
      isDead = true;
      // As the operating system does it: what is open in the store is rolled back there.
      for (const stream of streams) stream.destroy();
      resolve('killed');
    }
    if (isDead) throw new Error('this process has been killed');
  }
  const db = knexModule({
    client: 'pg',
    connection: connectionSettings(stage.databaseUrl),
    pool: {
      min: 0,
      max: 4,
      afterCreate: (client: { connection: { stream: { destroy(): void } } }, done: () => void) => {
        streams.push(client.connection.stream);
        done();
      },
    },
  });
  db.on('query', step);
  return { db, killed: promise, step, isDead: () => isDead, close: () => db.destroy() };
}

/** A receiver in memory; a process that is dead hears nothing of it any more. */
function createReceiver({ answer }: Scenario) {
  const received: string[] = [];
  const never = new Promise<undefined>(() => undefined);
  const senderOf = (life?: Life): Sender => ({
    async send(_url, { id }) {
      try {
        life?.step();
        received.push(id);
        const sent = answer(received.length);
        await new Promise(setImmediate);
        life?.step();
        return sent;
      } catch {
        return never;
      }
    },
  });
  return { received, senderOf };
}

/** Serves a new destination in a process that is killed at that step, then in others. Answers whether it was killed. */
async function killAtStep(scenario: Scenario, killAt: number): Promise<boolean> {
  const projectId = await stage.createProject();
  const { destination } = await stage.createDestination(projectId, {
    url: 'http://receiver.test/',
    ordered: scenario.ordered ?? 'none',
  });
  const ids = await stage.append(projectId, new Array(EVENTS).fill(newEvent()));
  const { received, senderOf } = createReceiver(scenario);
  const life = startLife(killAt);
  const slice = stage.sliceOf(destination, senderOf(life), { db: life.db });
  const run = slice.run(new AbortController().signal).catch(() => undefined);
  await Promise.race([run, life.killed]);
  void life.close().catch(() => undefined);
  for (let end = await stage.serve(destination.id, senderOf()); end !== undefined; ) {
    stage.clock.nowMs = Math.max(stage.clock.nowMs, end.runAgainAt.getTime());
    end = await stage.serve(destination.id, senderOf());
  }
  const rows = await stage.db('deliveries').where({ destination_id: destination.id }).orderBy('position');
  const at = `${scenario.title}, killed at step ${killAt}`;
  expect([at, rows.map(({ state }) => state)]).toEqual([at, new Array(EVENTS).fill('delivered')]);
  expect([at, rows.map(({ event_id }) => event_id)]).toEqual([at, ids]);
  expect([at, new Set(received)]).toEqual([at, new Set(ids)]);
  if (scenario.ordered === 'connection') {
    const last = ids.map((id) => received.lastIndexOf(id));
    expect([at, last.toSorted((left, right) => left - right)]).toEqual([at, last]);
  }
  return life.isDead();
}

describe('a process that is killed', () => {
  it.each(SCENARIOS)(
    'at any statement and any step of the network loses nothing, and repeats events under their own ids, where the receiver $title',
    async (scenario) => {
      for (let first = 1, isOver = false; !isOver; first += AT_ONCE) {
        const steps = Array.from({ length: AT_ONCE }, (_, index) => first + index);
        const outcomes = await Promise.all(steps.map((killAt) => killAtStep(scenario, killAt)));
        kills += outcomes.filter(Boolean).length;
        isOver = outcomes.includes(false);
      }
    },
  );

  it('has been killed here at a hundred steps or more', () => {
    expect(kills).toBeGreaterThanOrEqual(100);
  });
});
