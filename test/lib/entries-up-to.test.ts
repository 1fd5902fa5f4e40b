import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../../src/lib/entries-up-to.ts';

it('bounds a cache to so many entries, of which those used last stay', () => {
  const dropped: string[] = [];
  const dispose = (_value: number, key: string) => dropped.push(key);
  const cache = new LRUCache<string, number>({ ...entriesUpTo(3), dispose });
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index);
  cache.get('a');
  cache.set('d', 3);
  expect([cache.size, [...cache.keys()], dropped]).toEqual([3, ['d', 'a', 'c'], ['b']]);
  cache.set('d', 4);
  cache.delete('a');
  cache.set('e', 5);
  expect([...cache.entries()]).toEqual([
    ['e', 5],
    ['d', 4],
    ['c', 2],
  ]);
});
