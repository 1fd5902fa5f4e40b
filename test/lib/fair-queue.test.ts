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

  it('lets so many wait for each key and in all, and rejects the rest', async () => {
    const { run, end } = queue();
    const outcomes: string[] = [];
    const send = (key: string, name: string) =>
      run(key, name).then(
        () => outcomes.push(name),
        (error: unknown) => outcomes.push(error instanceof QueueFullError ? `${name} rejected` : 'other'),
      );
    for (let index = 0; index < 13; index += 1) void send('a', `a${index}`);
    await turn();
    expect(outcomes).toEqual(['a12 rejected']);
    for (let index = 0; index < 6; index += 1) void send('b', `b${index}`);
    await turn();
    expect(outcomes).toEqual(['a12 rejected', 'b5 rejected']);
    await end('a0');
    void send('b', 'b6');
    await turn();
    expect(outcomes).toEqual(['a12 rejected', 'b5 rejected', 'a0']);
  });
});
