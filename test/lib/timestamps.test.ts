import {
  formatTimestamp,
  parseExactTimestamp,
  parseTimestamp,
  readTimestamp,
  type TimestampFormat,
} from '../../src/lib/timestamps.ts';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

test.each<[unknown, TimestampFormat, number | undefined]>([
  ['2026-01-02T03:04:05Z', 'iso', AT],
  ['2026-01-02T03:04:05.6789Z', 'iso', AT + 678],
  ['2026-01-02T03:04:05', 'iso', AT],
  ['2026-01-02 03:04:05 UTC', 'iso', AT],
  ['2026-01-02T04:04:05+0100', 'iso', AT],
  ['2026-01-02T04:04:05.000+01:00', 'iso-seconds', AT],
  ['2026-01-02', 'iso', Date.UTC(2026, 0, 2)],
  ['Fri, 02 Jan 2026 03:04:05 GMT', 'iso', AT],
  [AT, 'iso', undefined],
  ['yesterday', 'iso', undefined],
  ['2026-01-02 03:04:05', 'sql', AT],
  ['2026-01-02 03:04:05.5', 'sql', AT + 500],
  ['2026-01-02T03:04:05Z', 'sql', undefined],
  [AT / 1000, 'epoch-s', AT],
  [`${AT / 1000}.25`, 'epoch-s', AT + 250],
  [String(AT / 1000), 'seconds', AT],
  [AT + 0.9, 'epoch-ms', AT],
  [String(AT), 'milliseconds', AT],
  [8.64e15, 'epoch-ms', 8.64e15],
  [8.64e15 + 1000, 'epoch-ms', undefined],
  ['', 'epoch-s', undefined],
  ['', 'epoch-ms', undefined],
  [null, 'epoch-s', undefined],
  [true, 'epoch-s', undefined],
])('%j as %s', (value, format, ms) => {
  expect(parseTimestamp(value, format)).toBe(ms);
});

test.each<[string, 'iso' | 'seconds' | 'milliseconds', number | undefined]>([
  ['1767323045', 'seconds', AT],
  ['1767323045.5', 'seconds', AT + 500],
  [String(AT), 'milliseconds', AT],
  ['2026-01-02T03:04:05Z', 'iso', AT],
  ['2026-01-02 03:04:05 UTC', 'iso', AT],
  ['2026-01-02T03:04', 'iso', AT - 5_000],
  ['2026-01-02T03:04:05.123456789+00:00', 'iso', AT + 123],
  ['-1767323045', 'seconds', undefined],
  ['1.767e9', 'seconds', undefined],
  [' 1767323045', 'seconds', undefined],
  ['0x69573465', 'seconds', undefined],
  ['1767323045000000', 'seconds', undefined],
  ['', 'seconds', undefined],
  ['2026-01-02', 'iso', undefined],
  ['Fri, 02 Jan 2026 03:04:05 GMT', 'iso', undefined],
  ['2026-13-02T03:04:05Z', 'iso', undefined],
])('the text %j of a sender as %s', (text, format, ms) => {
  expect(parseExactTimestamp(text, format)).toBe(ms);
});

test('a timestamp in a record is read at the first path that has one', () => {
  const place = { path: ['changedAt', 'madeAt'], format: 'epoch-s' } as const;
  expect(readTimestamp({ changedAt: null, madeAt: AT / 1000 }, place)).toBe(AT);
  expect(readTimestamp({}, place)).toBeNull();
  expect(readTimestamp({ madeAt: AT }, undefined)).toBeNull();
});

test.each<[TimestampFormat, string]>([
  ['iso', '2026-01-02T03:04:05.678Z'],
  ['iso-seconds', '2026-01-02T03:04:05Z'],
  ['sql', '2026-01-02 03:04:05'],
  ['epoch-s', '1767323045'],
  ['seconds', '1767323045'],
  ['epoch-ms', '1767323045678'],
  ['milliseconds', '1767323045678'],
])('a timestamp is written as %s', (format, text) => {
  expect(formatTimestamp(AT + 678, format)).toBe(text);
});
