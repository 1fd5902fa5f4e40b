import fc from 'fast-check';
import { compilePattern, PATTERN_INPUT_LENGTH_MAX } from '../../src/catalog/facts/pattern.ts';
import { validateVariable } from '../../src/catalog/facts/resolve-url.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { leastCpuMs } from '../support/quiet-time.ts';

/** A match of the longest text takes some milliseconds; backtracking on it takes minutes. */
const MATCH_CPU_MS_MAX = 50;

function compiled(text: string) {
  const result = compilePattern(text);
  if (!result.ok) throw new Error(result.reason);
  return result.pattern;
}

describe('a pattern of a provider', () => {
  it.each([
    ['[a-z]{2,20}', 'north', 'NORTH'],
    ['eu|us|au', 'us', 'use'],
    ['^https://([a-z]+)\\.example$', 'https://a.example', 'https://a.example/'],
    ['[\\w.-]+\\$', 'a.b$', 'a b$'],
    ['\\u00e9[^]', 'é\n', 'e\n'],
    ['(?<year>\\d{4})', '2026', '26'],
    ['(?:[a-z0-9]+\\.)*example\\.(?:com|eu)', 'a.b.example.eu', 'example.eu.a'],
    ['\\p{L}+', 'Ünïcode', 'a1'],
  ])('%s matches %s as a whole, and not %s', (text, fitting, other) => {
    const { matchesAll } = compiled(text);
    expect([matchesAll(fitting), matchesAll(other)]).toEqual([true, false]);
  });

  it('gives the first group of its first match', () => {
    expect(compiled('/users/([0-9]+)').firstGroupIn('https://a.example/users/42/users/43')).toBe('42');
    expect(compiled('x(y)?').firstGroupIn('ax')).toBeUndefined();
    expect(compiled('nothing (here)').firstGroupIn('elsewhere')).toBeUndefined();
    expect(compiled('no group').firstGroupIn('no group')).toBeUndefined();
  });

  it('judges no text that is longer than 255 characters', () => {
    const { matchesAll } = compiled('a+');
    expect([matchesAll('a'.repeat(255)), matchesAll('a'.repeat(256))]).toEqual([true, false]);
  });

  it.each([
    ['(a+)+b', 'a'],
    ['a*b?a*b?a*b?a*b?a*x', 'a'],
    ['(?:[^é]*ü)*x', 'ü'],
    ['(?:a|a|a|a|a|a|a|a|a|a){5}[^]{249}x', 'a'],
    ['(?:a?){100}a{100}x', 'a'],
    ['(.*)(.*)(.*)(.*)(.*)x', 'a'],
    ['[a-z]{1,150}[a-z]{1,150}[a-z]{1,150}x', 'a'],
    ['[ab]*a[ab]{14}x', 'ab'],
  ])('%s does not block: a text is judged in time that grows with its length alone', (text, unit) => {
    const { matchesAll, firstGroupIn } = compiled(text);
    const hard = unit.repeat(PATTERN_INPUT_LENGTH_MAX).slice(0, PATTERN_INPUT_LENGTH_MAX);
    matchesAll(hard);
    expect(leastCpuMs(MATCH_CPU_MS_MAX, () => matchesAll(hard))).toBeLessThanOrEqual(MATCH_CPU_MS_MAX);
    expect(leastCpuMs(MATCH_CPU_MS_MAX, () => firstGroupIn(hard))).toBeLessThanOrEqual(MATCH_CPU_MS_MAX);
    expect(matchesAll(hard)).toBe(false);
  });

  it.each([
    ['(?=a)b', /look-ahead or look-behind.*options/],
    ['(?<!a)b', /look-ahead or look-behind/],
    ['(\\w)\\1', /refers back to a group/],
    ['(?<n>a)\\k<n>', /refers back to a group/],
    ['a**', /repeats a repetition/],
    ['[a-z]{1,2000}', /more than 1000 times/],
    ['(?:[a-z]{1,60}[0-9]{1,60}){0,16}', /repeats too much/],
    ['(a', /not a regular expression.*missing closing \)/],
    ['[z-a]', /not a regular expression/],
    ['*', /not a regular expression/],
  ])('%s is refused in words', (text, reason) => {
    expect(compilePattern(text)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  it('never throws, whatever the pattern', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const result = compilePattern(text);
        if (result.ok) result.pattern.matchesAll(text);
      }),
    );
  });

  it('is refused at use, in words, where it was stored before it had to be of this syntax', () => {
    const [variable] = acmeProvider({ variables: { shop: { pattern: '[a-z]+' } } }).variables;
    if (variable === undefined) throw new Error('no variable');
    expect(validateVariable({ ...variable, ownPattern: '(?=a)a' }, 'a')).toEqual({
      ok: false,
      message: expect.stringMatching(/^shop cannot be judged.*look-ahead/),
    });
  });
});

it('takes the example of every variable of the built-in catalog', () => {
  const providers = builtInCatalog.list();
  const examples = providers.flatMap(({ id, variables }) =>
    variables.map((variable) => ({ id, variable, example: variable.example })),
  );
  const refused = examples.filter(
    ({ variable, example }) => example !== undefined && !validateVariable(variable, example).ok,
  );
  expect(refused.map(({ id, variable, example }) => `${id} ${variable.name}: ${example}`)).toEqual([]);
  expect(examples.length).toBeGreaterThan(100);
});
