import { parseExactJson } from '../../src/lib/exact-json.ts';
import { leastCpuMs } from '../support/quiet-time.ts';

describe('JSON with ids', () => {
  it.each([
    ['a long id', '{"id":12345678901234567001}', { id: '12345678901234567001' }],
    ['a negative one', '[ -9007199254740993 , 1]', ['-9007199254740993', 1]],
    ['one alone', '9007199254740993', '9007199254740993'],
    [
      'what a double holds',
      '{"a":9007199254740992,"b":1700000000123456}',
      { a: 2 ** 53, b: 1700000000123456 },
    ],
    [
      'digits in a text',
      '{"12345678901234567001":"x 12345678901234567001, \\" 9007199254740993"}',
      undefined,
    ],
    [
      'fractions and exponents',
      '[0.12345678901234567001,1.5e-12345678901234567001,9007199254740993.5]',
      undefined,
    ],
  ])('keeps the digits of whole numbers: %s', (_name, text, expected) => {
    expect(parseExactJson(text)).toEqual(expected ?? JSON.parse(text));
  });

  it.each(['', '{', '01234567890123456789', '{12345678901234567001:1}', '[1 12345678901234567001]'])(
    'is none: %j',
    (text) => {
      expect(parseExactJson(text)).toBeUndefined();
    },
  );

  it('is quick with a large body', () => {
    const body = JSON.stringify(
      Array.from({ length: 8_000 }, (_, id) => ({ id: `n${id}`, name: 'x', at: 1 })),
    );
    const text = body.replaceAll('"at":1', '"at":12345678901234567001');
    expect(leastCpuMs(50, () => parseExactJson(text))).toBeLessThan(50);
  });
});
