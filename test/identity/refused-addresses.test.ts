import type { Change } from '../../src/activity/actions.ts';
import { createNoteRefusedAddress } from '../../src/identity/api-keys/refused-addresses.ts';
import { newId } from '../../src/lib/ids.ts';
import { createTestDatabase } from '../support/postgres.ts';

const database = await createTestDatabase();
afterAll(database.drop);

const KEY = { kind: 'api_key', apiKeyId: newId(), projectId: newId(), scopes: ['*'] } as const;

function setUp(record?: () => Promise<void>) {
  const world = { nowMs: 0, changes: [] as Change[], warnings: 0 };
  const note = createNoteRefusedAddress({
    db: database.knex,
    recordActivity: async (_trx, change) => {
      await record?.();
      world.changes.push(...[change].flat());
    },
    log: {
      warn: () => {
        world.warnings += 1;
      },
    },
    now: () => world.nowMs,
  });
  return { world, at: (address: string, id = KEY.apiKeyId) => note({ id, principal: KEY, address }) };
}

describe('uses from addresses that are not allowed', () => {
  it('are in the audit log once an hour for a network, and ten times for a key', async () => {
    const { world, at } = setUp();
    for (let times = 0; times < 3; times += 1) {
      for (let host = 0; host < 50; host += 1) await at(`192.0.2.${host}`);
    }
    expect(world.changes).toHaveLength(10);
    await at('2001:db8::1', 'another-key');
    await at('2001:db8::2', 'another-key');
    expect(world.changes).toHaveLength(11);
    world.nowMs = 3_600_000;
    await at('192.0.2.49');
    expect(world.changes).toHaveLength(12);
    expect(world.changes.at(-1)).toMatchObject({
      ...{ action: 'api_key.address_refused', projectId: KEY.projectId, subjectId: KEY.apiKeyId },
      actor: { kind: 'api_key', sourceAddress: '192.0.2.49' },
    });
  });

  it('are refused all the same where the record cannot be written', async () => {
    const { world, at } = setUp(() => Promise.reject(new Error('away')));
    await at('192.0.2.1');
    expect([world.changes.length, world.warnings]).toEqual([0, 1]);
  });
});
