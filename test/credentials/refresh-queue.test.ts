import { createRefreshQueue } from '../../src/credentials/refreshing/refresh-queue.ts';

/** Longer than any of these tests. */
const PATIENCE_MS = 600_000;

/** Work of owners that goes on until the test ends it, in the order in which it was begun. */
function start() {
  const enqueue = createRefreshQueue();
  const begun: { owner: string; end: () => void }[] = [];
  const add = (projectId: string, integrationId: string, count: number) =>
    Array.from({ length: count }, () =>
      enqueue(
        { projectId, integrationId },
        () =>
          new Promise<string>((resolve) => {
            const owner = `${projectId} ${integrationId}`;
            begun.push({ owner, end: () => resolve(owner) });
          }),
        PATIENCE_MS,
      ),
    );
  const countOf = (owner: string) => begun.filter((each) => each.owner === owner).length;
  return { add, begun, countOf, enqueue };
}

/** Until everything that could begin has begun. */
const settle = () => new Promise(setImmediate);

describe('refreshes of one process', () => {
  it('run fifty at once for an integration, and the next ones in their turn', async () => {
    const { add, begun, countOf } = start();
    const results = add('p1', 'i1', 60);
    await settle();
    expect(countOf('p1 i1')).toBe(50);
    begun[0]?.end();
    expect(await results[0]).toBe('p1 i1');
    await settle();
    expect(countOf('p1 i1')).toBe(51);
    add('p1', 'i1', 10);
    await settle();
    expect(countOf('p1 i1')).toBe(51);
  });

  it('run a hundred at once for a project, however many integrations it has', async () => {
    const { add, begun, countOf } = start();
    add('p1', 'i1', 50);
    add('p1', 'i2', 50);
    add('p1', 'i3', 50);
    add('p2', 'i4', 1);
    await settle();
    expect(begun.filter(({ owner }) => owner.startsWith('p1 '))).toHaveLength(100);
    expect([countOf('p1 i3'), countOf('p2 i4')]).toEqual([0, 1]);
    begun[0]?.end();
    await settle();
    expect(countOf('p1 i3')).toBe(1);
  });

  it('run a thousand at once in all', async () => {
    const { add, begun } = start();
    for (let index = 0; index < 30; index += 1) add(`p${index}`, `i${index}`, 50);
    await settle();
    expect(begun).toHaveLength(1_000);
    for (const { end } of begun.splice(0)) end();
    await settle();
    expect(begun).toHaveLength(500);
  });

  it('give their place back also where they fail', async () => {
    const enqueue = createRefreshQueue();
    const owner = { projectId: 'p1', integrationId: 'i1' };
    const failing = Array.from({ length: 120 }, () =>
      enqueue(
        owner,
        async () => {
          throw new Error('no answer');
        },
        PATIENCE_MS,
      ),
    );
    const outcomes = await Promise.allSettled(failing);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(await enqueue(owner, async () => 'done', PATIENCE_MS)).toBe('done');
  });

  it('never begin where their turn does not come in time, and then take no place', async () => {
    const { add, begun, enqueue } = start();
    add('p1', 'i1', 50);
    await settle();
    let begins = 0;
    const late = await enqueue({ projectId: 'p1', integrationId: 'i1' }, async () => (begins += 1), 1);
    expect(late).toBeUndefined();
    add('p1', 'i1', 1);
    begun[0]?.end();
    await settle();
    expect([begins, begun.length]).toEqual([0, 51]);
  });
});
