import { createRefreshStore } from '../../src/credentials/refreshing/refresh.store.ts';
import { createRevocationsStore } from '../../src/credentials/revoking/revocations.store.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createTestVault, insertConnection, insertGrantsToRevoke, insertOwner } from '../support/rows.ts';

const { knex: db, drop } = await createTestDatabase();
afterAll(drop);
const vault = createTestVault();
const store = createRevocationsStore({ db, vault });

describe('a grant that is to be revoked', () => {
  beforeEach(() => db('grants_to_revoke').delete());

  const insertGrants = (origins: readonly string[]) => insertGrantsToRevoke(db, vault, origins);
  const claim = async (limit = 10, busy: string[] = []) =>
    (await store.claimDueOfAnyProject(limit, { busy, excluded: [] })).map(({ origin, attempts }) => [
      origin,
      attempts,
    ]);

  it('is given to one process, and is due again only after its time', async () => {
    await insertGrants(['https://a.example']);
    const [due] = await store.claimDueOfAnyProject(10, { busy: [], excluded: [] });
    expect(due).toMatchObject({ origin: 'https://a.example', attempts: 1, ageSeconds: 0 });
    expect(await claim()).toEqual([]);
    await store.postpone(due?.id ?? '', 3_600, 'timeout');
    expect(await claim()).toEqual([]);
    const [{ waits }] = await db('grants_to_revoke').select(
      db.raw("attempt_at > now() + interval '59 minutes' AS waits"),
    );
    expect(waits).toBe(true);
    await store.postpone(due?.id ?? '', 0, 'timeout');
    expect(await claim()).toEqual([['https://a.example', 2]]);
    await store.remove(db, due?.id ?? '');
    expect(await db('grants_to_revoke')).toEqual([]);
  });

  it('waits for its turn at its origin, and holds up no other', async () => {
    await insertGrants([...Array.from({ length: 30 }, () => 'https://a.example'), 'https://b.example']);
    expect(await claim(100)).toEqual([['https://a.example', 1]]);
    expect(await claim(100, ['https://a.example'])).toEqual([['https://b.example', 1]]);
    expect(await claim(100, ['https://a.example'])).toEqual([]);
  });

  it('of each party is taken in turn, and of none that has its share already', async () => {
    for (const host of ['a', 'b'])
      await insertGrants(Array.from({ length: 3 }, () => `https://${host}.example`));
    const due = await store.claimDueOfAnyProject(10, { busy: [], excluded: [] });
    expect(due.map(({ origin }) => origin).sort()).toEqual(['https://a.example', 'https://b.example']);
    const excluded = due.filter(({ origin }) => origin === 'https://a.example').map(({ party }) => party);
    const more = await store.claimDueOfAnyProject(10, { busy: [], excluded });
    expect(more.map(({ origin }) => origin)).toEqual(['https://b.example']);
  });
});

it('a client is proven by what another connection got within the time alone', async () => {
  const owner = await insertOwner(db, vault, 'acme');
  const [one, other] = [await insertConnection(db, vault, owner), await insertConnection(db, vault, owner)];
  const { isClientProven } = createRefreshStore({ db, vault });
  const state = { ...owner, connectionId: one, organizationClientId: null } as unknown as Parameters<
    typeof isClientProven
  >[0];
  const refreshed = (id: string) =>
    db('connections')
      .where({ id })
      .update({ refreshed_at: db.raw("now() - interval '2 hours'") });
  await refreshed(one);
  expect(await isClientProven(state, 3 * 3_600_000)).toBe(false);
  await refreshed(other);
  expect(await isClientProven(state, 3 * 3_600_000)).toBe(true);
  expect(await isClientProven(state, 3_600_000)).toBe(false);
});
