import { askedWaitMs, isOwnRefusalForNow, type WaitRules } from '../../src/catalog/facts/read-retry-after.ts';
import { providerFileSchema } from '../../src/catalog/schema/provider.schema.ts';

const NOW = Date.parse('2026-01-31T09:30:00Z');

/** The rules as a provider file gives them. */
function rulesOf(file: object): WaitRules {
  const required = { id: 'acme', name: 'Acme', auth: 'basic', apiBaseUrl: 'https://api.acme.example' };
  return providerFileSchema.parse({ ...required, ...file });
}

function answer(status: number, fields: Readonly<Record<string, string>>) {
  const lower = new Map(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));
  return { status, field: (name: string) => lower.get(name.toLowerCase()) };
}

describe('the wait that an answer asks for', () => {
  it.each([
    ['Retry-After before all others', { 'Retry-After': '2', 'X-Wait': '9' }, 2_000],
    ['a Retry-After that is a date', { 'Retry-After': 'Sat, 31 Jan 2026 09:30:05 GMT' }, 5_000],
    ['a moment that is past', { 'Retry-After': 'Sat, 31 Jan 2026 09:29:00 GMT' }, 0],
    ['seconds', { 'X-Wait': '9' }, 9_000],
    ['parts of a second', { 'X-Wait': '0.25' }, 250],
    ['a length in words', { 'X-Wait': '1m30s' }, 90_000],
    ['milliseconds', { 'X-Wait': '350ms' }, 350],
    ['the next field where one cannot be read', { 'X-Wait': 'soon', 'X-Until': '1769851804' }, 4_000],
    ['seconds since 1970', { 'X-Until': '1769851804' }, 4_000],
    ['milliseconds since 1970', { 'X-Until': '1769851801500' }, 1_500],
    ['a date', { 'X-Until': '2026-01-31T09:30:03Z' }, 3_000],
    ['the provider’s own clock', { Date: 'Sat, 31 Jan 2026 09:29:00 GMT', 'X-Until': '1769851804' }, 64_000],
    ['nothing that can be read', { 'X-Wait': '-1', 'X-Until': 'tomorrow' }, undefined],
  ])('is read from %s', (_what, fields, expected) => {
    const rules = rulesOf({ retry: { after: ['X-Wait'], at: ['X-Until'] } });
    expect(askedWaitMs(rules, answer(429, fields), NOW)).toBe(expected);
  });

  it('is Retry-After alone where the file names no other field', () => {
    const rules = rulesOf({});
    expect(askedWaitMs(rules, answer(429, { 'X-Wait': '9' }), NOW)).toBeUndefined();
    expect(askedWaitMs(rules, answer(429, { 'Retry-After': '9' }), NOW)).toBe(9_000);
  });
});

describe('a refusal in the provider’s own way', () => {
  const rules = rulesOf({ retry: { statuses: [403, 420] }, rateLimit: { remaining: 'X-Left' } });

  it.each([
    ['a status that means nothing else', 420, {}, true],
    ['403 with nothing left', 403, { 'X-Left': '0' }, true],
    ['403 with nothing left, in a list', 403, { 'X-Left': '0, 0' }, true],
    ['403 with Retry-After', 403, { 'Retry-After': '1' }, true],
    ['403 while there is more', 403, { 'X-Left': '10' }, false],
    ['403 that tells nothing', 403, {}, false],
    ['a status that the file does not name', 404, { 'X-Left': '0' }, false],
  ])('%s', (_what, status, fields, expected) => {
    expect(isOwnRefusalForNow(rules, answer(status, fields))).toBe(expected);
  });
});
