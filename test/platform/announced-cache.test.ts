import { createAnnouncedCache } from '../../src/platform/announced-cache.ts';

type Value = { readonly user: string | null; readonly text: string };
/** A change of one user, or of everything in the group. */
type Change = { readonly user: string | undefined };

/** Reads that a test answers when it wants. */
function createReads() {
  const pending: { resolve(value: Value): void; reject(error: Error): void }[] = [];
  const read = () => new Promise<Value>((resolve, reject) => pending.push({ resolve, reject }));
  return {
    read,
    begun: () => pending.length,
    answer: (index: number, value: Value) => pending[index]?.resolve(value),
    fail: (index: number, code = 'ECONNREFUSED') =>
      pending[index]?.reject(Object.assign(new Error('away'), { code })),
  };
}

function start(options: { freshMs?: number } = {}) {
  let nowMs = 0;
  const cache = createAnnouncedCache<Value, Change>({
    entriesMax: 10,
    freshMs: options.freshMs ?? 1_000,
    backgroundMs: 1_000,
    isKept: ({ text }) => text !== '',
    isAffected: (value, { user }) => user === undefined || value.user === null || value.user === user,
    now: () => nowMs,
  });
  return { cache, pass: (ms: number) => void (nowMs += ms) };
}

const value = (text: string, user: string | null = 'ada'): Value => ({ user, text });
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A cache that holds `ada` of project `p`. */
async function startWarm(options: { freshMs?: number } = {}) {
  const { cache, pass } = start(options);
  await cache.load('p ada', 'p', async () => value('one'));
  const reads = createReads();
  return { cache, pass, reads, current: () => cache.current('p ada', reads.read)?.text };
}

describe('what is in memory', () => {
  it('serves without a load while it is fresh', async () => {
    const { current, reads } = await startWarm();
    expect([current(), current()]).toEqual(['one', 'one']);
    expect(reads.begun()).toBe(0);
  });

  it('serves on while it is read again in the background, once', async () => {
    const { current, reads, pass } = await startWarm();
    pass(1_500);
    expect([current(), current()]).toEqual(['one', 'one']);
    await tick();
    expect(reads.begun()).toBe(1);
    reads.answer(0, value('two'));
    await tick();
    expect(current()).toBe('two');
  });

  it('is loaded anew once it is too old', async () => {
    const { current, pass } = await startWarm();
    pass(2_000);
    expect(current()).toBeUndefined();
  });

  it('holds nothing that is not there', async () => {
    const { cache } = start();
    await cache.load('p eve', 'p', async () => value(''));
    expect(cache.size).toBe(0);
  });

  it('shares one load among callers that come together', async () => {
    const { cache } = start();
    const reads = createReads();
    const both = [cache.load('p ada', 'p', reads.read), cache.load('p ada', 'p', reads.read)];
    await tick();
    reads.answer(0, value('one'));
    expect(await Promise.all(both)).toEqual(Array(2).fill({ value: value('one'), isStale: false }));
    expect(reads.begun()).toBe(1);
  });
});

describe('an announced change', () => {
  it('drops what it is about, and nothing else', async () => {
    const { cache, current } = await startWarm();
    await cache.load('p bob', 'p', async () => value('bob', 'bob'));
    await cache.load('q ada', 'q', async () => value('other project'));
    cache.change('p', { user: 'ada' });
    expect(current()).toBeUndefined();
    const never = () => new Promise<Value>(() => undefined);
    expect(cache.current('p bob', never)?.text).toBe('bob');
    expect(cache.current('q ada', never)?.text).toBe('other project');
  });

  it('of the whole group drops all of it', async () => {
    const { cache, current } = await startWarm();
    cache.change('p', { user: undefined });
    expect(current()).toBeUndefined();
  });

  it('during a load keeps what the load brings out of memory', async () => {
    const { cache } = start();
    const reads = createReads();
    const loading = cache.load('p ada', 'p', reads.read);
    await tick();
    cache.change('p', { user: 'ada' });
    reads.answer(0, value('from before'));
    expect((await loading).value.text).toBe('from before');
    expect(cache.current('p ada', reads.read)).toBeUndefined();
  });

  it('of another user or another project does not keep a load out of memory, however often it comes', async () => {
    const { cache } = start();
    const reads = createReads();
    const loading = cache.load('p ada', 'p', reads.read);
    await tick();
    for (let count = 0; count < 50; count += 1) {
      cache.change('p', { user: 'bob' });
      cache.change('q', { user: undefined });
    }
    reads.answer(0, value('one'));
    await loading;
    expect(cache.current('p ada', reads.read)?.text).toBe('one');
  });

  it('keeps a load of a user that is not known yet out of memory', async () => {
    const { cache } = start();
    const reads = createReads();
    const loading = cache.load('p new', 'p', reads.read);
    await tick();
    cache.change('p', { user: 'bob' });
    reads.answer(0, value('one', null));
    await loading;
    expect(cache.size).toBe(0);
  });

  it('gives callers that come after it a load of their own', async () => {
    const { cache } = start();
    const reads = createReads();
    const before = cache.load('p ada', 'p', reads.read);
    await tick();
    cache.change('p', { user: 'ada' });
    const after = cache.load('p ada', 'p', reads.read);
    await tick();
    reads.answer(0, value('old'));
    reads.answer(1, value('new'));
    expect([(await before).value.text, (await after).value.text]).toEqual(['old', 'new']);
    expect(cache.current('p ada', reads.read)?.text).toBe('new');
  });

  it('is not undone by a store that goes away afterwards', async () => {
    const { cache } = await startWarm();
    cache.change('p', { user: 'ada' });
    const away = async () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
    await expect(cache.load('p ada', 'p', away)).rejects.toThrow('away');
  });
});

describe('changes that may have been missed', () => {
  it('have everything read again before it serves', async () => {
    const { cache, current } = await startWarm();
    cache.markAllStale();
    expect(current()).toBeUndefined();
    expect((await cache.load('p ada', 'p', async () => value('two'))).value.text).toBe('two');
    expect(current()).toBe('two');
  });

  it('keep a load that was under way out of memory', async () => {
    const { cache } = start();
    const reads = createReads();
    const loading = cache.load('p ada', 'p', reads.read);
    await tick();
    cache.markAllStale();
    reads.answer(0, value('from before'));
    await loading;
    expect(cache.size).toBe(0);
  });
});

describe('while the store does not answer', () => {
  it('what is at hand serves, marked as stale', async () => {
    const { cache, reads } = await startWarm();
    cache.markAllStale();
    const loading = cache.load('p ada', 'p', reads.read);
    await tick();
    reads.fail(0);
    expect(await loading).toEqual({ value: value('one'), isStale: true });
  });

  it('a store that hangs is not waited for, and the next callers do not ask it at all for a second', async () => {
    const { cache, reads, pass } = await startWarm();
    cache.markAllStale();
    const load = () => cache.load('p ada', 'p', reads.read);
    expect(await load()).toEqual({ value: value('one'), isStale: true });
    expect(await Promise.all([load(), load()])).toEqual(
      Array(2).fill({ value: value('one'), isStale: true }),
    );
    expect(reads.begun()).toBe(1);
    pass(1_000);
    const asked = load();
    await tick();
    reads.answer(0, value('two'));
    expect(await asked).toEqual({ value: value('two'), isStale: false });
  });

  it('a fault of the store’s answer is not hidden', async () => {
    const { cache, reads } = await startWarm();
    cache.markAllStale();
    const loading = cache.load('p ada', 'p', reads.read);
    await tick();
    reads.fail(0, '42601');
    await expect(loading).rejects.toMatchObject({ code: '42601' });
  });
});
