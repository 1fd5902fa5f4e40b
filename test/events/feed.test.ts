import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createAppendNotices } from '../../src/events/stream/append-notices.ts';
import {
  BEFORE_ALL_EVENTS,
  matchesTypes,
  type NewEvent,
  TYPE_PATTERN,
  timeOfId,
} from '../../src/events/stream/event.ts';
import { readFeed } from '../../src/events/stream/events.store.ts';
import { openEvents } from '../../src/events/stream/sealed-events.ts';
import { createEventStream } from '../../src/events/stream/stream.ts';
import { createIdBound, newId } from '../../src/lib/ids.ts';
import { createDataKeys, formatDay } from '../../src/platform/data-keys.ts';
import { dropDaysBefore, ensureDays } from '../../src/platform/postgres/daily-partitions.ts';
import { createVault, parseEncryptionKeys } from '../../src/platform/vault.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const DAY_MS = 24 * 3_600_000;
let database: TestDatabase;
let stream: ReturnType<typeof createEventStream>;
const vault = createVault(parseEncryptionKeys(`k:${randomBytes(32).toString('base64')}`));
const dataKeys = createDataKeys({ vault });

beforeAll(async () => {
  database = await createTestDatabase();
  stream = createEventStream({
    db: database.knex,
    dataKeys,
    notices: createAppendNotices({ notify: async () => undefined }),
    log: { warn: () => undefined },
  });
});
afterAll(() => database?.drop());

async function createProject(): Promise<string> {
  const id = newId();
  await database.knex('projects').insert({ id, name: 'feed' });
  return id;
}

function event(type: string, dataText = '{}', id?: string): NewEvent {
  const ids = { integrationId: null, connectionId: null, integrationUserId: null, userId: null };
  return { ...(id !== undefined && { id }), type, source: 'webhook', ...ids, dataText };
}

const append = (projectId: string, events: readonly NewEvent[]) =>
  database.knex.transaction((trx) => stream.append(trx, projectId, events));

async function readAll(projectId: string, pageSize = 3): Promise<{ id: string; position: number }[]> {
  const seen: { id: string; position: number }[] = [];
  let afterPosition = 0;
  for (;;) {
    const { rows, scannedTo } = await readFeed(database.knex, { projectId, afterPosition, limit: pageSize });
    if (scannedTo === undefined) return seen;
    seen.push(...rows);
    afterPosition = scannedTo.position;
  }
}

describe('the feed', () => {
  it('never skips an event for a reader beside concurrent writers, some of which roll back', async () => {
    const writers = fc.array(
      fc.record({
        sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
        isOutbox: fc.boolean(),
        isRolledBack: fc.boolean(),
      }),
      { minLength: 2, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(writers, async (plan) => {
        const projectId = await createProject();
        const committed: string[] = [];
        let isWriting = true;
        const seen: string[] = [];
        const reader = (async () => {
          let afterPosition = 0;
          for (;;) {
            const wasWriting = isWriting;
            const page = await readFeed(database.knex, { projectId, afterPosition, limit: 2 });
            seen.push(...page.rows.map(({ id }) => id));
            if (page.scannedTo !== undefined) afterPosition = page.scannedTo.position;
            else if (!wasWriting) return;
          }
        })();
        await Promise.all(
          plan.map(async ({ sizes, isOutbox, isRolledBack }) => {
            for (const size of sizes) {
              const events = Array.from({ length: size }, () => event('acme.thing.created', '{}', newId()));
              const write = database.knex.transaction(async (trx) => {
                if (isOutbox) for (const one of events) await stream.enqueue(trx, projectId, [one]);
                else await stream.append(trx, projectId, events);
                if (isRolledBack) throw new Error('rolled back');
              });
              await write.then(
                () => committed.push(...events.map(({ id = '' }) => id)),
                () => undefined,
              );
            }
          }),
        );
        await stream.settled();
        isWriting = false;
        await reader;
        expect(seen.toSorted()).toEqual(committed.toSorted());
        const positions = (await readAll(projectId)).map(({ position }) => position);
        expect(positions).toEqual(positions.map((_, index) => index + 1));
      }),
      { numRuns: 12 },
    );
  });

  it('opens payloads as they were, to the last digit', async () => {
    const projectId = await createProject();
    const dataText = '{"id":12345678901234567890,"price":1.10,"name":"é\\u0000"}';
    await append(projectId, [event('acme.thing.created', dataText)]);
    const { rows } = await readFeed(database.knex, { projectId, afterPosition: 0, limit: 10 });
    expect(await openEvents(database.knex, dataKeys, rows)).toEqual([dataText]);
    expect(rows[0]?.data_sealed.includes(Buffer.from('1234567890'))).toBe(false);
  });

  it('bounds a page by the size of its payloads, and goes on behind it', async () => {
    const projectId = await createProject();
    const large = JSON.stringify('x'.repeat(1024 * 1024));
    await append(projectId, [
      event('a.b.created', large),
      event('a.b.created', large),
      event('a.b.created', large),
    ]);
    const first = await readFeed(database.knex, { projectId, afterPosition: 0, limit: 10 });
    expect(first.rows.map(({ position }) => position)).toEqual([1, 2]);
    const second = await readFeed(database.knex, {
      projectId,
      afterPosition: first.scannedTo?.position ?? 0,
      limit: 10,
    });
    expect(second.rows.map(({ position }) => position)).toEqual([3]);
  });

  it('moves on past events that were filtered out', async () => {
    const projectId = await createProject();
    await append(projectId, [event('a.b.created'), event('a.c_x.created'), event('a.cyx.created')]);
    const read = (types: string[]) =>
      readFeed(database.knex, { projectId, afterPosition: 0, types, limit: 10 });
    expect((await read(['a.c_x.*'])).rows.map(({ position }) => position)).toEqual([2]);
    const none = await read(['hubspot.*']);
    expect(none.rows).toEqual([]);
    expect(none.scannedTo?.position).toBe(3);
  });
});

describe('payloads', () => {
  it('cannot be opened once their project is deleted', async () => {
    const projectId = await createProject();
    await append(projectId, [event('a.b.created', '{"secret":1}')]);
    const { rows } = await readFeed(database.knex, { projectId, afterPosition: 0, limit: 1 });
    await database.knex('projects').where({ id: projectId }).delete();
    expect(await openEvents(database.knex, createDataKeys({ vault }), rows)).toEqual([undefined]);
  });

  it('are not sealed with a key whose transaction was rolled back', async () => {
    const projectId = await createProject();
    await database.knex
      .transaction(async (trx) => {
        await stream.append(trx, projectId, [event('a.b.created')]);
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await append(projectId, [event('a.b.created', '"kept"')]);
    const { rows } = await readFeed(database.knex, { projectId, afterPosition: 0, limit: 1 });
    expect(await openEvents(database.knex, createDataKeys({ vault }), rows)).toEqual(['"kept"']);
  });
});

describe('days of events', () => {
  const idAt = (timeMs: number) => `${createIdBound(timeMs).slice(0, 14)}7${newId().slice(15)}`;

  it('are dropped when they are over, while readers read on', async () => {
    const projectId = await createProject();
    const now = Date.now();
    await ensureDays(database.knex, 'events', now - 40 * DAY_MS);
    await ensureDays(database.knex, 'events', now);
    const old = idAt(now - 40 * DAY_MS);
    await append(projectId, [event('a.b.created', '1', old), event('a.b.created', '2')]);
    const readers = Array.from({ length: 20 }, () => readAll(projectId));
    const dropped = await dropDaysBefore(database.knex, 'events', now - 30 * DAY_MS);
    await Promise.all(readers);
    // A reader may have held the day; the next run drops it then.
    const later = await dropDaysBefore(database.knex, 'events', now - 30 * DAY_MS);
    const day = formatDay(now - 40 * DAY_MS).replaceAll('-', '');
    expect([...dropped, ...later]).toContain(`events_${day}`);
    expect((await readAll(projectId)).map(({ position }) => position)).toEqual([2]);
  });

  it('take events of any time, as after a jump of the clock', async () => {
    const projectId = await createProject();
    const future = idAt(Date.now() + 400 * DAY_MS);
    await append(projectId, [event('a.b.created', '1', future), event('a.b.created', '2')]);
    expect(timeOfId(future)).toBeGreaterThan(Date.now());
    expect(await readAll(projectId)).toHaveLength(2);
    await expect(ensureDays(database.knex, 'events', Date.now() + 398 * DAY_MS)).resolves.toBeInstanceOf(
      Array,
    );
    expect(await readAll(projectId)).toHaveLength(2);
  });
});

describe('patterns of types', () => {
  it.each([
    ['hubspot.contact.created', 'hubspot.contact.created', true],
    ['hubspot.contact.created', 'hubspot.contact.*', true],
    ['hubspot.contact.created', 'hubspot.*', true],
    ['hubspot.contact.created', '*', true],
    ['hubspot.contact.created', 'hubspot.contact', false],
    ['hubspotx.contact.created', 'hubspot.*', false],
  ])('%s and %s: %s', (type, pattern, expected) => {
    expect(TYPE_PATTERN.test(pattern)).toBe(true);
    expect(matchesTypes(type, [pattern])).toBe(expected);
  });

  it('refuse a star in the middle', () => {
    for (const pattern of ['hubspot.*.created', '**', 'hub*', '', BEFORE_ALL_EVENTS.repeat(5)])
      expect(TYPE_PATTERN.test(pattern)).toBe(false);
  });
});
