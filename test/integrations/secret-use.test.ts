import { createSecretUse } from '../../src/integrations/secrets/secret-use.ts';
import type { Db } from '../../src/platform/postgres/database.ts';

const HOUR_MS = 3_600_000;

/** Notes into a list, at a time that the test sets; the store is away while `isAway`. */
function startSecretUse() {
  const world = { nowMs: 0, isAway: false, written: [] as [id: string, verdict: string][], warnings: 0 };
  const note = createSecretUse({
    db: {} as Db,
    records: {
      noteVerdict: async (_db, id, verdict) => {
        if (world.isAway) throw new Error('the store is away');
        world.written.push([id, verdict]);
      },
    },
    now: () => world.nowMs,
    log: {
      warn: () => {
        world.warnings += 1;
      },
    },
  });
  return { world, note };
}

describe('the use of a client secret', () => {
  it('is written down once an hour for each', () => {
    const { world, note } = startSecretUse();
    note('one', 'worked');
    note('two', 'worked');
    world.nowMs = HOUR_MS - 1;
    note('one', 'worked');
    expect(world.written).toEqual([
      ['one', 'worked'],
      ['two', 'worked'],
    ]);
    world.nowMs = HOUR_MS;
    note('one', 'worked');
    expect(world.written).toHaveLength(3);
  });

  it('is written down at once where the verdict is another', () => {
    const { world, note } = startSecretUse();
    note('one', 'worked');
    note('one', 'refused');
    note('one', 'refused');
    note('one', 'worked');
    expect(world.written.map(([, verdict]) => verdict)).toEqual(['worked', 'refused', 'worked']);
  });

  it('is written down with the next one where the store was away', async () => {
    const { world, note } = startSecretUse();
    world.isAway = true;
    note('one', 'worked');
    await new Promise(setImmediate);
    expect(world.warnings).toBe(1);
    world.isAway = false;
    note('one', 'worked');
    expect(world.written).toEqual([['one', 'worked']]);
  });
});
