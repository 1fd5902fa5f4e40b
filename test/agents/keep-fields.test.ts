import { keepFields, parseFieldPath } from '../../src/agents/keep-fields.ts';

const pathsOf = (...paths: string[]) => paths.map((path) => parseFieldPath(path) ?? []);

describe('fields of an answer', () => {
  it.each([
    [{ a: 1, b: 2 }, ['$'], { a: 1, b: 2 }],
    [{ a: { b: 1, c: 2 }, d: 3 }, ['$.a.b', '$.d'], { a: { b: 1 }, d: 3 }],
    [{ a: { b: 1, c: 2 } }, ['$.a.b', '$.a'], { a: { b: 1, c: 2 } }],
    [
      [{ a: 1 }, { a: 2, b: 3 }],
      ['$[*].a', '$[1].b'],
      [{ a: 1 }, { a: 2, b: 3 }],
    ],
    [{ x: { a: 1, b: 2 }, y: { a: 3 } }, ['$.*.a', '$.x.b'], { x: { a: 1, b: 2 }, y: { a: 3 } }],
    [{ 1: { a: 1, b: 2 }, x: { a: 3 } }, ['$[1].b', '$.*.a'], { 1: { a: 1, b: 2 }, x: { a: 3 } }],
    [{ a: [] }, ['$.a[*].b'], { a: [] }],
    [{ a: 1 }, ['$.toString', '$.b', '$.a.c'], undefined],
  ])('of %j are for %j', (document, paths, kept) => {
    expect(keepFields(document, pathsOf(...paths))).toEqual(kept);
  });
});
