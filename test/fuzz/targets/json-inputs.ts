import fc from 'fast-check';
import { joinText, type Text } from '../engine/text.ts';

/** JSON, and what is nearly JSON, as text: members twice, names of every object, nesting and lists without end. */

const SCALARS = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1',
    '-1',
    '1.5',
    '1e308',
    '1e999',
    '9007199254740993',
    '123456789012345678901234567890',
    '""',
    '"x"',
  ],
  ...[
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"é"',
    '"<script>"',
    '"\\r\\nX: y"',
    '"2026-11-27T00:00:00Z"',
    '"__proto__"',
    '"{{n}}"',
    '[]',
    '{}',
  ],
];
const NAMES = [
  'id',
  'type',
  'event',
  'data',
  'value',
  'name',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  '0',
  'length',
  'then',
  'a.b',
  'a[]',
  '$ref',
  'ü',
];

const scalar: fc.Arbitrary<Text> = fc.constantFrom(...SCALARS).map((text): Text => [text]);
const nested: fc.Arbitrary<Text> = fc
  .tuple(
    fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"a":', '}]']),
    fc.integer({ min: 1, max: 40_000 }),
    fc.boolean(),
  )
  .map(
    ([[open = '', end = ''], times, isClosed]): Text => [
      { run: open, times },
      'null',
      ...(isClosed ? [{ run: end, times }] : []),
    ],
  );
const wide: fc.Arbitrary<Text> = fc
  .tuple(fc.constantFrom('1,', '"a",', '[],', '{},', '{"a":1},'), fc.integer({ min: 1, max: 60_000 }))
  .map(([unit, times]): Text => ['[', { run: unit, times }, '1]']);
const sameMembers: fc.Arbitrary<Text> = fc
  .integer({ min: 1, max: 30_000 })
  .map((times): Text => ['{', { run: '"a":1,', times }, '"a":2}']);
const longText: fc.Arbitrary<Text> = fc
  .tuple(fc.constantFrom('a', '\\u0061', '\\"', ' ', '\xc3\xa9'), fc.integer({ min: 1, max: 60_000 }))
  .map(([unit, times]): Text => ['"', { run: unit, times }, '"']);

const list = (parts: readonly Text[], open: string, end: string): Text =>
  joinText([open], ...parts.flatMap((part, index) => (index === 0 ? [part] : [[','], part])), [end]);

const { value } = fc.letrec<{ value: Text; list: Text; object: Text }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 8, arbitrary: scalar },
    { weight: 3, arbitrary: tie('object') },
    { weight: 2, arbitrary: tie('list') },
  ),
  list: fc.array(tie('value'), { maxLength: 4 }).map((parts) => list(parts, '[', ']')),
  object: fc.array(fc.tuple(fc.constantFrom(...NAMES), tie('value')), { maxLength: 5 }).map((members) =>
    list(
      members.map(([name, part]) => joinText([`"${name}":`], part)),
      '{',
      '}',
    ),
  ),
}));

/** A value in a place that is not the whole document. */
export const jsonValue: fc.Arbitrary<Text> = fc.oneof(
  { weight: 12, arbitrary: value },
  { weight: 1, arbitrary: fc.oneof(nested, wide, sameMembers, longText) },
);

/** A whole document, or what is none. */
export const jsonDocument: fc.Arbitrary<Text> = fc.oneof(
  { weight: 10, arbitrary: jsonValue },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Text>(
      [''],
      ['{'],
      ['{"a":1}{"b":2}'],
      ["{'a':1}"],
      ['{"a":1,}'],
      ['\xef\xbb\xbf{"a":1}'],
      ['NaN'],
      ['{"a":\x00}'],
      ['\xff'],
      ['// x\n{}'],
      ['{"a":01}'],
      ['"\t"'],
    ),
  },
);

/** `{"name":value,…}` of texts. */
export function toObjectText(members: readonly (readonly [name: string, value: Text])[]): Text {
  return list(
    members.map(([name, part]) => joinText([`"${name}":`], part)),
    '{',
    '}',
  );
}
