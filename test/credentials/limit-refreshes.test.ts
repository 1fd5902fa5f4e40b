import { createRecordActivity } from '../../src/activity/record.ts';
import { limitRefreshes } from '../../src/credentials/refreshing/limit-refreshes.ts';
import { createRecordRefusal } from '../../src/credentials/refreshing/record-refusal.ts';
import { createRefreshStore } from '../../src/credentials/refreshing/refresh.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { createDatabase } from '../../src/platform/postgres/database.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createTestVault, insertConnection, insertOwner } from '../support/rows.ts';

const POOL_MAX = 2;
const COUNT = 4;

const database = await createTestDatabase();
const pool = createDatabase({ url: database.url, applicationName: 'refreshes', poolMax: POOL_MAX });
afterAll(async () => {
  await pool.close();
  await database.drop();
});

describe('refreshes in a part of the pool', () => {
  it('store refusals beside claims, none of which waits for a connection that the other holds', async () => {
    const db = pool.knex;
    const vault = createTestVault();
    const { store, recordRefusal } = limitRefreshes(
      {
        store: createRefreshStore({ db, vault }),
        recordRefusal: createRecordRefusal({
          db,
          recordActivity: createRecordActivity({ announce: () => undefined }),
        }),
      },
      POOL_MAX,
    );
    const owner = await insertOwner(database.knex, vault, 'acme');
    const prepare = async () => {
      const connectionId = await insertConnection(database.knex, vault, owner);
      const target = { ...owner, connectionId, version: 1, reuse: { kind: 'once' } } as const;
      const asker = newId();
      return { asker, claim: () => store.claim(target, asker) };
    };
    const prepared = await Promise.all(Array.from({ length: 2 * COUNT }, prepare));
    const [asked, others] = [prepared.slice(0, COUNT), prepared.slice(COUNT)];
    const states = await Promise.all(asked.map(({ claim }) => claim()));
    const refusals = asked.map(async ({ asker }, index) => {
      const state = states[index];
      if (state === undefined) throw new Error('the refresh cannot be claimed');
      return recordRefusal(state, 'refused', (trx) => store.refuse(trx, state, asker, 'refused'));
    });
    const claims = others.map(async ({ claim }) => (await claim())?.status === 'active');
    expect(new Set(await Promise.all([...refusals, ...claims]))).toEqual(new Set([true]));
  });
});
