import { parseRawJson } from '../../src/lib/exact-json.ts';
import {
  findAll,
  findValue,
  parsePath,
  readFirstPath,
  readPath,
  toFilledText,
  toText,
} from '../../src/lib/json-path.ts';

const document = {
  id: 7,
  'a.b': 'dotted',
  a: { b: 'nested', nothing: null, 'c.d': 'inner' },
  list: [
    { kind: 'x', uri: 'first', tags: [1, 2] },
    { kind: 'y', isDefault: true, uri: 'second', tags: [3] },
  ],
  byName: { one: { id: null }, two: { id: 'found' } },
  empty: [],
};

test.each<[string, unknown]>([
  ['id', 7],
  ['a.b', 'dotted'],
  ['a.nothing', null],
  ['a.nothing.more', undefined],
  ['list.1.uri', 'second'],
  ['list[kind=y].uri', 'second'],
  ['list[isDefault=true].uri', 'second'],
  ['list[kind=z].uri', undefined],
  ['id[kind=x]', undefined],
  ['byName.two[id=found].id', 'found'],
  ['byName.two[id=other].id', undefined],
  ['a.toString', undefined],
  ['id.toString', undefined],
  ['empty.0', undefined],
])('a path of a response reads %s', (path, value) => {
  expect(readPath(document, path)).toEqual(value);
});

test('the first of alternative paths is the first that is there and not null', () => {
  expect(readFirstPath(document, ['missing', 'a.nothing', 'id', 'a.b'])).toBe(7);
  expect(readFirstPath(document, 'id')).toBe(7);
  expect(readFirstPath(document, ['missing', 'a.nothing'])).toBeUndefined();
});

test.each<[string, unknown, readonly string[]]>([
  ['.', document, []],
  ['a.b', 'nested', ['a', 'b']],
  ['a\\.b', 'dotted', ['a.b']],
  ['a.c\\.d', 'inner', ['a', 'c.d']],
  ['byName.*.id', 'found', ['byName', 'two', 'id']],
  ['list[].isDefault', true, ['list', '1', 'isDefault']],
  ['list[kind=y].uri', 'second', ['list', '1', 'uri']],
  ['byName.two[id=found].id', 'found', ['byName', 'two', 'id']],
])('a path of a webhook finds %s with the names that lead to it', (path, value, names) => {
  expect(findValue(document, parsePath(path))).toEqual({ value, names });
});

test.each([
  'a.nothing',
  'missing',
  'byName.*.missing',
  'list[kind=z].uri',
  'byName.two[id=other].id',
  'id.*',
])('a path of a webhook finds nothing at %s', (path) => {
  expect(findValue(document, parsePath(path))).toBeUndefined();
});

test.each<[string, readonly unknown[]]>([
  ['list[].tags[]', [1, 2, 3]],
  ['list[].uri', ['first', 'second']],
  ['list[kind=x].tags[]', [1, 2]],
  ['byName.*.id', [null, 'found']],
  ['id[]', []],
  ['missing[]', []],
])('all values at %s are found', (path, values) => {
  expect(findAll(document, parsePath(path), 10)).toEqual(values);
});

test('more values than are wanted are not collected', () => {
  expect(findAll(document, parsePath('list[].tags[]'), 2)).toBeUndefined();
});

test.each<[unknown, string | undefined, string | undefined]>([
  ['text', 'text', 'text'],
  ['', '', undefined],
  [0, '0', '0'],
  [false, 'false', 'false'],
  [null, undefined, undefined],
  [parseRawJson('12345678901234567001'), '12345678901234567001', '12345678901234567001'],
  [{}, undefined, undefined],
])('%j as a text', (value, text, filled) => {
  expect([toText(value), toFilledText(value)]).toEqual([text, filled]);
});
