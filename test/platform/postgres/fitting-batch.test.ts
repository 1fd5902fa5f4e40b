import { createFittingBatch } from '../../../src/platform/postgres/fitting-batch.ts';

const timeout = () =>
  Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });

/** A store that has no time for more than `most` rows, and the sizes that it was asked for. */
function createSlowStore(most: number) {
  const asked: number[] = [];
  const work = async (batch: readonly number[]) => {
    asked.push(batch.length);
    if (batch.length > most) throw timeout();
    return batch;
  };
  return { asked, work };
}

const ROWS = Array.from({ length: 40 }, (_, index) => index);

describe('createFittingBatch', () => {
  it('takes as many rows as it may where the store has the time', async () => {
    const { asked, work } = createSlowStore(40);
    const take = createFittingBatch(16);
    expect(await take(ROWS, work)).toEqual(ROWS.slice(0, 16));
    expect(asked).toEqual([16]);
  });

  it('halves what was too slow, remembers what fitted, and then tries one row more', async () => {
    const { asked, work } = createSlowStore(5);
    const take = createFittingBatch(16);
    expect(await take(ROWS, work)).toEqual(ROWS.slice(0, 4));
    expect(asked).toEqual([16, 8, 4]);
    await take(ROWS, work);
    await take(ROWS, work);
    expect(asked.slice(3)).toEqual([5, 6, 3]);
  });

  it('gives up where a single row is too slow, and at any other failure', async () => {
    const none = createSlowStore(0);
    await expect(createFittingBatch(2)(ROWS, none.work)).rejects.toMatchObject({ code: '57014' });
    expect(none.asked).toEqual([2, 1]);
    const failure = new Error('of another kind');
    await expect(createFittingBatch(2)(ROWS, () => Promise.reject(failure))).rejects.toBe(failure);
  });
});
