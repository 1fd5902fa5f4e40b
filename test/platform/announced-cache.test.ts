import { setImmediate as turn } from 'node:timers/promises';
import { QueueFullError } from '../../src/lib/fair-queue.ts';
import { createAnnouncedCache } from '../../src/platform/announced-cache.ts';

type Value = { readonly user: string | null; readonly text: string };
/** A change of one user, or of everything in the group. */
type Change = { readonly user: string | undefined };
type Read = {
  readonly key: string;
  readonly caller: string;
  readonly held: string | undefined;
  resolve(value: Value | undefined): void;
  reject(error: Error): void;
};

const value = (text: string, user: string | null = 'ada'): Value => ({ user, text });
const away = (code = 'ECONNREFUSED') => Object.assign(new Error(`away: ${code}`), { code });

/** Keys are "project user"; a test answers the reads when it wants. */
function start(options: { entriesMax?: number } = {}) {
  const world = {
    nowMs: 1_000_000,
    reads: [] as Read[],
    backgroundErrors: [] as unknown[],
    judged: [] as string[],
  };
  const cache = createAnnouncedCache<Value, string, Change>({
    entriesMax: options.entriesMax ?? 10,
    load: (key, caller, held) =>
      new Promise((resolve, reject) => {
        world.reads.push({ key, caller, held: held?.text, resolve, reject });
      }),
    groupOf: (key) => key.split(' ')[0] ?? '',
    topicOf: ({ user }) => user ?? undefined,
    topicOfChange: ({ user }) => user,
    isAffected(held) {
      world.judged.push(held.text);
      return held.text !== 'immune';
    },
    onBackgroundError: (error) => world.backgroundErrors.push(error),
    now: () => world.nowMs,
  });

  /** Starts a load whose read the test answers. */
  async function begin(key = 'p ada', caller = 'mia') {
    const loading = cache.load(key, caller);
    loading.catch(() => undefined);
    await turn();
    return { loading, read: world.reads.at(-1) };
  }

  async function loaded(key: string, found: Value | undefined) {
    const { loading, read } = await begin(key);
    read?.resolve(found);
    return loading;
  }

  const current = (key = 'p ada') => {
    const found = cache.current(key, 'mia');
    return found === null ? null : found?.text;
  };
  return { cache, world, begin, loaded, current };
}

/** A cache that holds `ada` of project `p`. */
async function startWarm(options: { entriesMax?: number } = {}) {
  const started = start(options);
  await started.loaded('p ada', value('one'));
  started.world.reads.length = 0;
  return started;
}

describe('what is in memory', () => {
  it('serves without a read while it is fresh', async () => {
    const { current, world } = await startWarm();
    world.nowMs += 29_999;
    expect([current(), current()]).toEqual(['one', 'one']);
    await turn();
    expect(world.reads).toEqual([]);
  });

  it('serves on while it is read again in the background, once', async () => {
    const { current, world } = await startWarm();
    world.nowMs += 30_000;
    expect([current(), current()]).toEqual(['one', 'one']);
    await turn();
    expect(world.reads).toMatchObject([{ key: 'p ada', held: 'one' }]);
    world.reads[0]?.resolve(value('two'));
    await turn();
    expect(current()).toBe('two');
  });

  it('is loaded again once it is too old', async () => {
    const { current, world } = await startWarm();
    world.nowMs += 60_000;
    expect(current()).toBeUndefined();
  });

  it('is shared by callers that come together, and read for the first of them', async () => {
    const { begin, cache, world } = start();
    const first = await begin('p ada', 'mia');
    const second = cache.load('p ada', 'zoe');
    first.read?.resolve(value('one'));
    expect(await Promise.all([first.loading, second])).toEqual(
      Array(2).fill({ value: value('one'), isStale: false }),
    );
    expect(world.reads).toMatchObject([{ caller: 'mia', held: undefined }]);
  });

  it('leaves it where it was not asked for longest', async () => {
    const { cache, current, loaded } = await startWarm({ entriesMax: 2 });
    await loaded('p bob', value('bob', 'bob'));
    current('p ada');
    await loaded('p eve', value('eve', 'eve'));
    expect([current('p ada'), current('p bob'), current('p eve')]).toEqual(['one', undefined, 'eve']);
    expect(cache.size).toBe(2);
  });

  it('can be peeked at however old it is', async () => {
    const { cache, world } = await startWarm();
    world.nowMs += 3_600_000;
    cache.markAllStale();
    expect(cache.peek('p ada')?.text).toBe('one');
  });
});

describe('that there is nothing', () => {
  it('is remembered for five seconds', async () => {
    const { cache, current, loaded, world } = start();
    expect(await loaded('p eve', undefined)).toEqual({ value: null, isStale: false });
    world.nowMs += 4_999;
    expect(current('p eve')).toBeNull();
    world.nowMs += 1;
    expect(current('p eve')).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it('is forgotten with any change in the group, and takes the place of what was there', async () => {
    const { cache, current, loaded, world } = await startWarm();
    world.nowMs += 60_000;
    await loaded('p ada', undefined);
    expect(current()).toBeNull();
    cache.change('p', { user: 'bob' });
    expect(current()).toBeUndefined();
  });
});

describe('an announced change', () => {
  it('drops what it is about, and nothing else', async () => {
    const { cache, current, loaded } = await startWarm();
    await loaded('p bob', value('bob', 'bob'));
    await loaded('q ada', value('other project'));
    cache.change('p', { user: 'ada' });
    expect([current('p ada'), current('p bob'), current('q ada')]).toEqual([
      undefined,
      'bob',
      'other project',
    ]);
  });

  it('looks at what it may be about alone, however much the group holds', async () => {
    const { cache, world, current, loaded } = await startWarm({ entriesMax: 1_000 });
    for (let user = 0; user < 500; user += 1) await loaded(`p ${user}`, value(`${user}`, `${user}`));
    await loaded('p eve', value('not known yet', null));
    cache.change('p', { user: '42' });
    expect(world.judged).toEqual(['not known yet', '42']);
    expect([current('p eve'), current('p 42'), current('p 43')]).toEqual([undefined, undefined, '43']);
  });

  it('leaves what it says that it is not about', async () => {
    const { cache, current, loaded } = await startWarm();
    await loaded('p ada', value('immune'));
    cache.change('p', { user: 'ada' });
    expect(current('p ada')).toBe('immune');
  });

  it('finds an entry by what it is about now, and not by what it was about before', async () => {
    const { cache, current, loaded } = await startWarm();
    await loaded('p ada', value('of bob now', 'bob'));
    cache.change('p', { user: 'ada' });
    expect(current('p ada')).toBe('of bob now');
    cache.change('p', { user: 'bob' });
    expect(current('p ada')).toBeUndefined();
  });

  it('of the whole group drops all of it', async () => {
    const { cache, current, loaded } = await startWarm();
    await loaded('p bob', value('bob', 'bob'));
    cache.change('p', { user: undefined });
    expect([current('p ada'), current('p bob'), cache.size]).toEqual([undefined, undefined, 0]);
  });

  it.each([
    ['of the same user', 'p ada', { user: 'ada' }, value('old')],
    ['of the whole group', 'p ada', { user: undefined }, value('old')],
    ['of any user, where the user is not known yet', 'p new', { user: 'bob' }, value('old', null)],
    ['of any user, where there was nothing', 'p new', { user: 'bob' }, undefined],
  ])('%s during a load keeps what the load brings out of memory', async (_which, key, change, found) => {
    const { begin, cache, current } = start();
    const { loading, read } = await begin(key);
    cache.change('p', change);
    read?.resolve(found);
    expect((await loading).value).toBe(found ?? null);
    expect(current(key)).toBeUndefined();
  });

  it('of another user or another project lets a load be kept, up to a hundred of them', async () => {
    for (const [changes, kept] of [
      [100, 'one'],
      [101, undefined],
    ] as const) {
      const { begin, cache, current } = start();
      const { loading, read } = await begin();
      for (let count = 0; count < changes; count += 1) {
        cache.change('p', { user: 'bob' });
        cache.change('q', { user: undefined });
      }
      read?.resolve(value('one'));
      await loading;
      expect(current()).toBe(kept);
    }
  });

  it('gives callers that come after it a read of their own', async () => {
    const { begin, cache, current } = start();
    const before = await begin();
    cache.change('p', { user: 'ada' });
    const after = await begin();
    before.read?.resolve(value('old'));
    after.read?.resolve(value('new'));
    expect([(await before.loading).value?.text, (await after.loading).value?.text]).toEqual(['old', 'new']);
    expect(current()).toBe('new');
  });

  it('is not undone by a store that goes away afterwards', async () => {
    const { begin, cache } = await startWarm();
    cache.change('p', { user: 'ada' });
    const { loading, read } = await begin();
    read?.reject(away());
    await expect(loading).rejects.toThrow('away');
  });
});

describe('changes that may have been missed', () => {
  it('have everything read again before it serves', async () => {
    const { cache, current, loaded } = await startWarm();
    cache.markAllStale();
    expect(current()).toBeUndefined();
    expect((await loaded('p ada', value('two'))).value?.text).toBe('two');
    expect(current()).toBe('two');
  });

  it('keep what is being read out of memory, and from callers that come later', async () => {
    const { begin, cache, current, world } = start();
    const { loading, read } = await begin();
    cache.markAllStale();
    await begin();
    read?.resolve(value('from before'));
    await loading;
    expect(current()).toBeUndefined();
    expect(world.reads).toHaveLength(2);
  });

  it('have values read twice a second, by callers who wait, until notices arrive again', async () => {
    const { cache, current, loaded, world } = start();
    cache.setHasNotices(false);
    await loaded('p ada', value('one'));
    world.nowMs += 499;
    expect(current()).toBe('one');
    world.nowMs += 1;
    expect(current()).toBeUndefined();
    cache.setHasNotices(true);
    await loaded('p ada', value('two'));
    world.nowMs += 10_000;
    expect(current()).toBe('two');
  });
});

describe('what is read along with something else', () => {
  it('is kept', async () => {
    const { cache, current, world } = start();
    const result = await cache.readAlong('p ada', 'mia', async (keep) => {
      cache.change('p', { user: 'bob' });
      keep(value('one'));
      return 'result';
    });
    expect([result, current()]).toEqual(['result', 'one']);
    expect(world.reads).toEqual([]);
  });

  it('is not kept where a change overtook it', async () => {
    const { cache, current } = start();
    await cache.readAlong('p ada', 'mia', async (keep) => {
      cache.change('p', { user: 'ada' });
      keep(value('one'));
    });
    expect(current()).toBeUndefined();
  });

  it('fails with its own error', async () => {
    const { cache } = start();
    await expect(cache.readAlong('p ada', 'mia', () => Promise.reject(away()))).rejects.toThrow('away');
  });
});

describe('while the store does not answer', () => {
  it('what is at hand serves, marked as stale where it had to be loaded', async () => {
    const { begin, cache, current } = await startWarm();
    cache.markAllStale();
    const { loading, read } = await begin();
    read?.reject(away());
    expect(await loading).toEqual({ value: value('one'), isStale: true });
    expect(current()).toBe('one');
  });

  it('what is at hand serves where too many reads wait for it to begin another one', async () => {
    const { begin, cache, current, world } = await startWarm();
    world.nowMs += 30_000;
    expect(current()).toBe('one');
    await turn();
    world.reads.at(-1)?.reject(new QueueFullError());
    await turn();
    expect(world.backgroundErrors).toEqual([]);
    world.nowMs += 60_000;
    expect(current()).toBeUndefined();
    const { loading, read } = await begin();
    read?.reject(new QueueFullError());
    expect(await loading).toEqual({ value: value('one'), isStale: true });
    const { loading: cold, read: unread } = await begin('p bob');
    unread?.reject(new QueueFullError());
    await expect(cold).rejects.toBeInstanceOf(QueueFullError);
    expect(cache.peek('p ada')).toEqual(value('one'));
  });

  it('a store that hangs is not waited for, and is asked again after a second', async () => {
    const { begin, cache, current, world } = await startWarm();
    cache.markAllStale();
    const stale = { value: value('one'), isStale: true };
    expect(await cache.load('p ada', 'mia')).toEqual(stale);
    expect(await Promise.all([cache.load('p ada', 'mia'), cache.load('p ada', 'mia')])).toEqual([
      stale,
      stale,
    ]);
    expect(current()).toBe('one');
    await turn();
    expect(world.reads).toHaveLength(1);
    world.nowMs += 1_000;
    const { loading } = await begin();
    world.reads[0]?.resolve(value('two'));
    expect(await loading).toEqual({ value: value('two'), isStale: false });
  });

  it('a background read that fails is repeated after a second, and hides no fault', async () => {
    const { current, world } = await startWarm();
    world.nowMs += 30_000;
    for (const [error, reads] of [
      [away(), 1],
      [away('42703'), 2],
    ] as const) {
      expect(current()).toBe('one');
      await turn();
      expect(world.reads).toHaveLength(reads);
      world.reads.at(-1)?.reject(error);
      await turn();
      expect(current()).toBe('one');
      world.nowMs += 1_000;
    }
    expect(world.backgroundErrors).toMatchObject([{ code: '42703' }]);
  });

  it('a fault of the store’s answer is not hidden', async () => {
    const { begin, cache } = await startWarm();
    cache.markAllStale();
    const { loading, read } = await begin();
    read?.reject(away('42601'));
    await expect(loading).rejects.toMatchObject({ code: '42601' });
  });
});
