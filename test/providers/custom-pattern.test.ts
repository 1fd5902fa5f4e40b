import { boundedPattern, patternFault } from '../../src/providers/custom-pattern.ts';

describe('a regular expression from an API caller', () => {
  it.each([
    '[a-z]{2,20}',
    '[a-z0-9-]+\\.example\\.com',
    '(?:[a-z0-9]+\\.)*example\\.(?:com|eu)',
    '[0-9A-Fa-f]{32}-us\\d+',
    'eu|us|au',
    '.+@.+\\..+',
    '^https://([a-z]+)\\.example$',
    '[^@\\s]+@[^@\\s]+',
    'a?b?c?',
    '(?:ab|cd)+',
    '[\\w.-]+\\$',
  ])('%s is taken as the pattern of a whole value', (pattern) => {
    expect(patternFault(pattern, 'whole value')).toBeUndefined();
  });

  it.each(['accounts/(\\d+)', '(\\d+)\\D(\\d+)', '^id:([a-z]+)'])('%s is taken for searching', (pattern) => {
    expect(patternFault(pattern, 'search')).toBeUndefined();
  });

  it.each([
    ['a repeated repetition', '(a+)+'],
    ['a repeated repetition, well hidden', '(?:x?(?:y*z?)*)*$'],
    ['a repeated choice of the same', '(?:a|a)+'],
    ['a repeated choice whose options begin alike', '(?:ab|ac)+'],
    ['many choices of the same, one by one', `${'(?:a|a)'.repeat(24)}b`],
    ['many optional characters', `${'a?'.repeat(24)}${'a'.repeat(24)}`],
    ['repetitions that run into each other', '.*.*.*x'],
    ['repetitions of classes that overlap', '\\w+[a-z]+[b-y]+c+\\d'],
    ['a bounded repetition of a bounded one', '(?:a{1,9}){1,9}'],
    ['something empty, repeated', '(?:a?)*'],
  ])('%s is refused, since it may take too long', (_, pattern) => {
    expect(patternFault(pattern, 'whole value')).toMatch(/^may take too long/);
  });

  it('is judged more strictly where it may begin anywhere in a text', () => {
    expect(patternFault('.+@.+\\..+', 'search')).toMatch(/^may take too long/);
  });

  it.each([
    ['(\\w)\\1', 'may not use \\1'],
    ['(?=a)b', 'may not use lookahead, lookbehind, named groups or flags'],
    ['(?<!a)b', 'may not use lookahead, lookbehind, named groups or flags'],
    ['(?<name>a)', 'may not use lookahead, lookbehind, named groups or flags'],
    ['\\p{L}+', 'may not use \\p'],
    ['a\\b', 'may not use \\b'],
    ['^a|b$', 'must have its alternatives in a group when it uses ^ or $'],
    ['a^b', 'may have ^ at its start only'],
    ['a**', 'repeats a repetition'],
    ['*', 'needs a backslash before *'],
    ['[a-', 'ends too early'],
    ['(a', 'lacks a closing parenthesis'],
    ['a)', 'has a closing parenthesis too many'],
    ['[z-a]', 'has a range in a character class that is none'],
    ['a{9,1}', 'is not a regular expression'],
    ['x'.repeat(201), 'is longer than 200 characters'],
  ])('%s is refused in words: %s', (pattern, reason) => {
    expect(patternFault(pattern, 'whole value')).toBe(reason);
  });
});

describe('a bounded pattern', () => {
  it('matches what the pattern matches, up to 255 characters', () => {
    const bounded = new RegExp(boundedPattern('^(?:[a-z]+)$'));
    expect([bounded.test('north'), bounded.test('NORTH'), bounded.test('a'.repeat(255))]).toEqual([
      true,
      false,
      true,
    ]);
    expect(bounded.test('a'.repeat(256))).toBe(false);
  });

  it('keeps its groups', () => {
    expect(new RegExp(boundedPattern('id:(\\d+)')).exec('the id:42 of it')?.[1]).toBe('42');
  });
});
