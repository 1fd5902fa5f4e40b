import { isUnreadable, layOutJson, listPairs, showText } from '../../src/approvals/show-text.ts';

it.each([
  ['plain text, ümläute and 漢字', 'plain text, ümläute and 漢字'],
  ['a\u202eb', 'a⟨U+202E⟩b'],
  ['a\u200b\u2060b', 'a⟨U+200B⟩⟨U+2060⟩b'],
  ['a\u00a0b\u3000c', 'a⟨U+00A0⟩b⟨U+3000⟩c'],
  ['\u{e0041}', '⟨U+E0041⟩'],
  ['\u3164', '⟨U+3164⟩'],
  ['a\u0000\r\nb', 'a⟨U+0000⟩⟨U+000D⟩⟨U+000A⟩b'],
  ['\ud800', '⟨U+D800⟩'],
])('%j is shown as %j', (text, shown) => {
  expect(showText(text)).toBe(shown);
});

it('lines stay where they are wanted', () => {
  expect(showText('a\n\tb\r', { keepLines: true })).toBe('a\n\tb⟨U+000D⟩');
});

it('JSON is laid out of its own tokens', () => {
  const text = '{"a":1.10,"a":[],"b":{"\\u0063":"x\\ny\\u200b"},"n":123456789012345678901234567890}';
  expect(layOutJson(text)).toBe(`{
  "a": 1.10,
  "a": [],
  "b": {
    "c": "x\\ny⟨U+200B⟩"
  },
  "n": 123456789012345678901234567890
}`);
});

it.each(['', '{', 'a=b', '[1,]', `${'['.repeat(40)}${']'.repeat(40)}`, `"${'x'.repeat(70_000)}"`])(
  'what is no JSON, nested too deep or too long is not laid out: %#',
  (text) => {
    expect(layOutJson(text)).toBeUndefined();
  },
);

it('a form is decoded, unless it has more pairs than anyone reads', () => {
  expect(listPairs('a=%31+b&a=%E2%80%AE')).toEqual([
    ['a', '1 b'],
    ['a', '⟨U+202E⟩'],
  ]);
  expect(listPairs('a&'.repeat(600))).toBeUndefined();
});

it('what is nearly all unseen is no text', () => {
  expect(isUnreadable('\u200b'.repeat(3_000))).toBe(true);
  expect(isUnreadable(`${'line\n'.repeat(10_000)}\u200b`)).toBe(false);
});
