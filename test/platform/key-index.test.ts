import { createKeyIndex } from '../../src/platform/key-index.ts';

function index(...places: readonly (readonly [group: string, topic: string | undefined, key: string])[]) {
  const made = createKeyIndex();
  for (const place of places) made.add(...place);
  return made;
}

it('lists the keys of a topic and those of none, of one group', () => {
  const keys = index(['p', 'ada', 'a'], ['p', 'bob', 'b'], ['p', undefined, 'any'], ['q', 'ada', 'other']);
  expect([...keys.list('p', 'ada')]).toEqual(['any', 'a']);
  expect([...keys.list('p', undefined)].toSorted()).toEqual(['a', 'any', 'b']);
  expect([...keys.list('unknown', 'ada')]).toEqual([]);
});

it('takes no group for another whose names join to the same text', () => {
  const keys = index(['a', 'b c', 'one'], ['a b', 'c', 'two']);
  expect([...keys.list('a', 'b c')]).toEqual(['one']);
  keys.remove('a', 'b c', 'one');
  expect([...keys.list('a b', 'c')]).toEqual(['two']);
});

it.each([undefined, 'ada'])('may lose the keys that are being listed (topic %s)', (topic) => {
  const keys = index(['p', 'ada', '1'], ['p', 'ada', '2'], ['p', 'bob', '3'], ['p', undefined, '4']);
  const listed: string[] = [];
  for (const key of keys.list('p', topic)) {
    listed.push(key);
    for (const each of ['ada', 'bob', undefined]) keys.remove('p', each, key);
  }
  expect(listed.toSorted()).toEqual(topic === undefined ? ['1', '2', '3', '4'] : ['1', '2', '4']);
  expect([...keys.list('p', undefined)]).toEqual(topic === undefined ? [] : ['3']);
});

it('keeps nothing of what has gone', () => {
  const keys = index(['p', 'ada', 'a'], ['p', undefined, 'b']);
  keys.remove('p', 'ada', 'a');
  keys.remove('p', undefined, 'b');
  keys.remove('p', 'ada', 'a');
  expect(keys.size).toBe(0);
});
