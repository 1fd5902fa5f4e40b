import type { FaultToKeep } from '../../src/diagnosis/observed-faults.store.ts';
import { createNoticedFaults } from '../../src/diagnosis/observed-faults.ts';

const PROJECT = '0192f0c8-abcd-7000-8000-000000000001';

/** What is noticed, with a store that keeps when the test says so. */
function start() {
  const keeping: { faults: readonly FaultToKeep[]; end: (error?: Error) => void }[] = [];
  const noticed = createNoticedFaults({
    store: {
      keep: (faults) => {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        keeping.push({ faults, end: (error) => (error ? reject(error) : resolve()) });
        return promise;
      },
      listFor: async () => [],
      isOnlyProjectOfGateway: async () => true,
      purgeOfAnyProject: async () => undefined,
    },
  });
  return { noticed, keeping };
}

const turn = () => new Promise(setImmediate);

describe('what is noticed in passing', () => {
  it('is counted, without queries and what is no origin, address or host', async () => {
    const { noticed, keeping } = start();
    noticed.noteOrigin(PROJECT.toUpperCase(), 'https://a.example');
    noticed.noteOrigin(PROJECT, 'https://a.example');
    noticed.noteOrigin(undefined, 'https://a.example');
    for (const origin of ['null', 'https://a.example/', 'file://x', 'https://A.example', ''])
      noticed.noteOrigin(PROJECT, origin);
    noticed.noteOrigin('no-uuid', 'https://a.example');
    noticed.noteReturnUrl(PROJECT, 'https://b.example/home?secret=1');
    noticed.noteReturnUrl(PROJECT, 'https://b.example/home#part');
    noticed.noteReturnUrl(PROJECT, 'javascript:alert(1)');
    noticed.noteHost('c.example:8443');
    for (const host of ['c example', '<c>', '', 'c'.repeat(301)]) noticed.noteHost(host);
    const flushed = noticed.flush();
    await turn();
    expect(keeping[0]?.faults).toEqual([
      { kind: 'origin', projectId: PROJECT, value: 'https://a.example', count: 2 },
      { kind: 'origin', projectId: null, value: 'https://a.example', count: 1 },
      { kind: 'return_url', projectId: PROJECT, value: 'https://b.example/home?…', count: 1 },
      { kind: 'return_url', projectId: PROJECT, value: 'https://b.example/home', count: 1 },
      { kind: 'host', projectId: null, value: 'c.example:8443', count: 1 },
    ]);
    keeping[0]?.end();
    await flushed;
  });

  it('is written when a flush ends, also where another one had begun to write it', async () => {
    const { noticed, keeping } = start();
    noticed.noteHost('a.example');
    const first = noticed.flush();
    await turn();
    noticed.noteHost('b.example');
    const over: string[] = [];
    const others = ['second', 'third'].map((name) => noticed.flush().then(() => over.push(name)));
    keeping[0]?.end();
    await first;
    await turn();
    // The third one has nothing left to write, and waits for the second, which took what it wants to be written.
    expect([keeping.length, over]).toEqual([2, []]);
    keeping[1]?.end();
    await Promise.all(others);
    expect([keeping.length, over]).toEqual([2, ['second', 'third']]);
  });

  it('is written after what another flush could not write', async () => {
    const { noticed, keeping } = start();
    noticed.noteHost('a.example');
    const first = noticed.flush();
    await turn();
    noticed.noteHost('b.example');
    const second = noticed.flush();
    keeping[0]?.end(new Error('the store is away'));
    await expect(first).rejects.toThrow('the store is away');
    await turn();
    expect(keeping[1]?.faults).toMatchObject([{ value: 'b.example' }]);
    keeping[1]?.end();
    await second;
  });

  it('is dropped where there is too much of it', async () => {
    const { noticed, keeping } = start();
    for (let index = 0; index < 510; index += 1) noticed.noteHost(`h${index}.example`);
    noticed.noteHost('h1.example');
    const flushed = noticed.flush();
    await turn();
    expect(keeping[0]?.faults).toHaveLength(500);
    expect(keeping[0]?.faults[1]).toMatchObject({ value: 'h1.example', count: 2 });
    keeping[0]?.end();
    await flushed;
    await noticed.flush();
    expect(keeping).toHaveLength(1);
  });
});
