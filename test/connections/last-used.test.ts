import { createConnectionsStore } from '../../src/connections/connections.store.ts';
import { createLastUsed } from '../../src/connections/last-used.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createTestVault, insertConnection, insertOwner } from '../support/rows.ts';

let database: TestDatabase;
let connectionId: string;
let lastUsed: ReturnType<typeof createLastUsed>;

beforeAll(async () => {
  database = await createTestDatabase();
  const db = database.knex;
  const vault = createTestVault();
  connectionId = await insertConnection(db, vault, await insertOwner(db, vault, 'hubspot'));
  lastUsed = createLastUsed({
    db,
    connections: createConnectionsStore({ vault }),
  });
});
afterAll(() => database?.drop());

const flush = () => lastUsed.chore.run(new AbortController().signal);

const row = () => database.knex('connections').where({ id: connectionId });
const lastUsedAt = async (): Promise<Date | null> => (await row().first('last_used_at')).last_used_at;

describe('the last use of a connection', () => {
  it.each([
    ['never', null, true],
    ['59 seconds ago', 59, false],
    ['61 seconds ago', 61, true],
  ])('that was written %s is written again once a minute at most', async (_when, secondsAgo, isWritten) => {
    const before = secondsAgo === null ? null : new Date(Date.now() - secondsAgo * 1_000);
    await row().update({ last_used_at: before });
    lastUsed.note(connectionId);
    await flush();
    const after = await lastUsedAt();
    if (isWritten) expect(Date.now() - (after?.getTime() ?? 0)).toBeLessThan(30_000);
    else expect(after).toEqual(before);
  });

  it('is not written without a use, and changes no version', async () => {
    await row().update({ last_used_at: null });
    const { version } = await row().first('version');
    await flush();
    expect(await lastUsedAt()).toBeNull();
    lastUsed.note(connectionId);
    await flush();
    expect(await lastUsedAt()).toBeInstanceOf(Date);
    expect((await row().first('version')).version).toBe(version);
  });
});
