import { setImmediate as turn } from 'node:timers/promises';
import { createAnnouncedCache } from '../../src/platform/announced-cache.ts';

type Value = { text: string };

function cacheOf(options: { max?: number } = {}) {
  const world = {
    nowMs: 1_000_000,
    store: new Map<string, Value>([['a', { text: 'first' }]]),
    loads: [] as [key: string, held: string | undefined, caller: string | undefined][],
    /** Awaited by each load after it has read its answer. */
    gate: Promise.resolve(),
    error: undefined as Error | undefined,
    background: [] as unknown[],
  };
  const cache = createAnnouncedCache<Value>({
    now: () => world.nowMs,
    ...options,
    async load(key, held, caller) {
      world.loads.push([key, held?.text, caller]);
      const value = world.store.get(key);
      const { error } = world;
      await world.gate;
      if (error) throw error;
      return value;
    },
    onBackgroundError: (error) => world.background.push(error),
  });
  return { world, cache };
}

const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const change = (world: { store: Map<string, Value> }) => world.store.set('a', { text: 'second' });

describe('a cache of announced values', () => {
  it('loads a value once, for callers that come together, and tells the loader who was first', async () => {
    const { world, cache } = cacheOf();
    expect(cache.current('a')).toBeUndefined();
    const [one, two] = await Promise.all([cache.load('a', 'mia'), cache.load('a', 'zoe')]);
    expect(one).toBe(two);
    expect(cache.current('a')).toBe(one);
    expect(world.loads).toEqual([['a', undefined, 'mia']]);
  });

  it('remembers for five seconds that there is nothing', async () => {
    const { world, cache } = cacheOf();
    expect(await cache.load('b')).toBeNull();
    expect(cache.current('b')).toBeNull();
    world.nowMs += 5_000;
    expect(cache.current('b')).toBeUndefined();
  });

  it('reads a busy value again in the background, and a quiet one when it is asked for', async () => {
    const { world, cache } = cacheOf();
    await cache.load('a');
    change(world);
    world.nowMs += 29_999;
    expect(cache.current('a')?.text).toBe('first');
    expect(world.loads).toHaveLength(1);
    world.nowMs += 1;
    expect(cache.current('a')?.text).toBe('first');
    await turn();
    expect(cache.current('a')?.text).toBe('second');
    expect(world.loads[1]).toEqual(['a', 'first', undefined]);
    world.nowMs += 60_000;
    expect(cache.current('a')).toBeUndefined();
  });

  it.each([
    ['of the value', (cache: ReturnType<typeof cacheOf>['cache']) => cache.invalidate('a')],
    ['that may have been missed', (cache: ReturnType<typeof cacheOf>['cache']) => cache.markAllStale()],
  ])('does not keep what was read before a change %s, nor share the reading', async (_what, announce) => {
    const { world, cache } = cacheOf();
    const held = Promise.withResolvers<void>();
    world.gate = held.promise;
    const overtaken = cache.load('a');
    const keep = cache.beginRead('a');
    change(world);
    announce(cache);
    const later = cache.load('a');
    held.resolve();
    expect((await overtaken)?.text).toBe('first');
    expect((await later)?.text).toBe('second');
    keep({ text: 'first' });
    expect(cache.current('a')?.text).toBe('second');
  });

  it('keeps what another reader brings, and what was read before a change of something else', async () => {
    const { world, cache } = cacheOf();
    const keep = cache.beginRead('a');
    cache.invalidate('b');
    keep({ text: 'brought' });
    expect(cache.current('a')?.text).toBe('brought');
    expect(world.loads).toEqual([]);
    cache.beginRead('a')(null);
    expect(cache.current('a')).toBeNull();
  });

  it('serves on while the store is away, asking once a second, unless the value is known to have changed', async () => {
    const { world, cache } = cacheOf();
    await cache.load('a');
    world.error = away();
    cache.markAllStale();
    expect(cache.current('a')).toBeUndefined();
    expect((await cache.load('a'))?.text).toBe('first');
    expect(cache.current('a')?.text).toBe('first');
    expect(world.loads).toHaveLength(2);
    world.nowMs += 1_000;
    expect(cache.current('a')?.text).toBe('first');
    await turn();
    expect(world.loads).toHaveLength(3);
    expect(cache.peek('a')?.text).toBe('first');
    cache.invalidate('a');
    await expect(cache.load('a')).rejects.toThrow('ECONNREFUSED');
    expect(cache.peek('a')).toBeUndefined();
  });

  it('hides no fault, and tells of one that happened in the background', async () => {
    const { world, cache } = cacheOf();
    await cache.load('a');
    world.error = new Error('no such column');
    await expect(cache.load('a')).rejects.toThrow('no such column');
    world.nowMs += 30_000;
    expect(cache.current('a')?.text).toBe('first');
    await turn();
    expect(world.background).toEqual([world.error]);
  });

  it('waits for a new reading twice a second while change notices are lost', async () => {
    const { world, cache } = cacheOf();
    cache.setHasNotices(false);
    await cache.load('a');
    world.nowMs += 499;
    expect(cache.current('a')?.text).toBe('first');
    world.nowMs += 1;
    expect(cache.current('a')).toBeUndefined();
    cache.setHasNotices(true);
    await cache.load('a');
    world.nowMs += 10_000;
    expect(cache.current('a')?.text).toBe('first');
  });

  it('forgets the value that was not asked for longest', async () => {
    const { world, cache } = cacheOf({ max: 2 });
    for (const key of ['a', 'b', 'c']) world.store.set(key, { text: key });
    for (const key of ['a', 'b']) await cache.load(key);
    cache.current('a');
    await cache.load('c');
    expect([cache.current('a')?.text, cache.current('b'), cache.current('c')?.text]).toEqual([
      'a',
      undefined,
      'c',
    ]);
  });
});
