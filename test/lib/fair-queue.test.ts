import { setImmediate as turn } from 'node:timers/promises';
import { createFairQueue, QueueFullError } from '../../src/lib/fair-queue.ts';

function queue(limits: Partial<Parameters<typeof createFairQueue>[0]> = {}) {
  const created = createFairQueue({ running: 2, waitingPerKeyMax: 10, waitingMax: 15, ...limits });
  const started: string[] = [];
  const held = new Map<string, PromiseWithResolvers<string>>();
  const run = (key: string, name: string) =>
    created.run(key, () => {
      started.push(name);
      const task = Promise.withResolvers<string>();
      held.set(name, task);
      return task.promise;
    });
  const end = async (name: string) => {
    held.get(name)?.resolve(name);
    await turn();
  };
  return { run, started, held, end };
}

describe('a fair queue', () => {
  it('runs so many tasks at a time and gives the keys turns', async () => {
    const { run, started, end } = queue();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void run('a', name);
    for (const name of ['b1', 'b2']) void run('b', name);
    void run('c', 'c1');
    expect(started).toEqual(['a1', 'a2']);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4']) await end(name);
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
  });

  it('goes on after a task that throws before its promise is there, running and waiting', async () => {
    const turns = createFairQueue({ running: 1, waitingPerKeyMax: 10, waitingMax: 10 });
    const fail = () => {
      throw new Error('no luck');
    };
    const failing = [turns.run('a', fail), turns.run('a', fail)];
    const after = turns.run('b', async () => 'ran');
    for (const one of failing) await expect(one).rejects.toThrow('no luck');
    expect(await after).toBe('ran');
  });

  it('answers what the task answers, and goes on after one that failed', async () => {
    const { run, held } = queue({ running: 1 });
    const failing = run('a', 'one');
    const next = run('a', 'two');
    held.get('one')?.reject(new Error('no luck'));
    await expect(failing).rejects.toThrow('no luck');
    await turn();
    held.get('two')?.resolve('done');
    expect(await next).toBe('done');
  });

  async function outcomesOf(sent: readonly (readonly [key: string, count: number])[]) {
    const { run, end } = queue();
    const rejected: string[] = [];
    const send = (key: string, name: string) =>
      run(key, name).catch((error: unknown) =>
        rejected.push(error instanceof QueueFullError ? name : 'other'),
      );
    for (const [key, count] of sent)
      for (let index = 0; index < count; index += 1) void send(key, `${key}${index}`);
    await turn();
    return { rejected, send, end };
  }

  it('lets so many wait for each key and in all, and rejects the rest', async () => {
    const { rejected, send, end } = await outcomesOf([
      ['a', 10],
      ['b', 8],
    ]);
    expect(rejected).toEqual(['b7']);
    await end('a0');
    void send('b', 'b8');
    await turn();
    expect(rejected).toEqual(['b7']);
    const { rejected: ofOne } = await outcomesOf([['a', 13]]);
    expect(ofOne).toEqual(['a12']);
  });

  it('takes the place of the newest task of the key that has the most, for a key that has fewer', async () => {
    const { rejected } = await outcomesOf([
      ['a', 12],
      ['b', 7],
      ['c', 1],
    ]);
    expect(rejected).toEqual(['a11', 'a10', 'a9']);
  });

  it('runs what it has kept after it has given up a task', async () => {
    const { run, started, end } = queue({ running: 1, waitingMax: 2 });
    void run('a', 'a1');
    void run('a', 'a2');
    const givenUp = run('a', 'a3');
    void run('b', 'b1');
    await expect(givenUp).rejects.toThrow(QueueFullError);
    for (const name of ['a1', 'a2', 'b1']) await end(name);
    expect(started).toEqual(['a1', 'a2', 'b1']);
  });
});
