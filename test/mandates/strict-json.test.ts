import fc from 'fast-check';
import { readStrictJson } from '../../src/mandates/strict-json.ts';

const read = (text: string) => readStrictJson(Buffer.from(text));

it.each([
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"x":{"a":1,"a":2}}',
  '[{"a":1},{"b":1,"b" :2}]',
  '{"a\\"":1,"a\\"" : 2}',
  '\uFEFF{}',
  '{"a":1,}',
  "{'a':1}",
  '{"a":NaN}',
  '',
  '{} {}',
  '['.repeat(201) + ']'.repeat(201),
])('%s is refused', (text) => {
  expect(read(text)).toEqual({ fault: expect.any(String) });
});

it('bytes that are no UTF-8 are refused', () => {
  expect(readStrictJson(Buffer.from([0x22, 0xff, 0x22]))).toEqual({ fault: expect.any(String) });
  expect(readStrictJson(Buffer.from('{"a":1}', 'utf16le'))).toEqual({ fault: expect.any(String) });
});

it('anything else is read as JSON.parse reads it, names in texts and in other objects included', () => {
  expect(read('{"a":"\\"a\\":1","b":[{"a":1},{"a":2}],"c":{"a":1}}')).toHaveProperty('value.c', { a: 1 });
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      expect(read(text)).toEqual({ value: JSON.parse(text) });
    }),
    { numRuns: 300 },
  );
});
