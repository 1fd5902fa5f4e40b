import { createSlowRefusals } from '../../src/identity/verification/slow-refusals.ts';

const REFUSAL = new Error('come again');

describe('slow refusals', () => {
  it('are delayed by a moment, and given at once where enough are delayed already', async () => {
    const refuse = createSlowRefusals({ delayMs: 20, heldMax: 2 });
    const held = [refuse(REFUSAL), refuse(REFUSAL)].map((promise) =>
      promise.catch((error: unknown) => error),
    );
    expect(() => refuse(REFUSAL)).toThrow(REFUSAL);
    let isGiven = false;
    void Promise.race(held).then(() => {
      isGiven = true;
    });
    await Promise.resolve();
    expect(isGiven).toBe(false);
    expect(await Promise.all(held)).toEqual([REFUSAL, REFUSAL]);
    await expect(refuse(REFUSAL)).rejects.toBe(REFUSAL);
  });

  it('are given at once where none may wait', () => {
    expect(() => createSlowRefusals({ delayMs: 20, heldMax: 0 })(REFUSAL)).toThrow(REFUSAL);
  });
});
