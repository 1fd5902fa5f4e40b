import type { Named } from './hostile-inputs.ts';

/** The description of a project's own provider: a typed host, and variables with these patterns. */
export function ownProvider(id: string, patterns: readonly string[] = [], from = 'user') {
  const named = patterns.map((pattern, index) => [`v${index}`, { from, pattern }] as const);
  return {
    id,
    name: 'Own',
    auth: 'api-key',
    apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
    apiBaseUrl: 'https://{host}',
    apiHeaders: Object.fromEntries(named.map(([name]) => [`X-${name}`, `{${name}}`])),
    variables: { host: { from: 'user' }, ...Object.fromEntries(named) },
  };
}

/** Patterns that backtracking engines take seconds or years for, or that make large programs. */
export const HARD_PATTERNS = [
  '(?:a|a|a|a|a|a|a|a|a|a){5}[^]{249}x',
  'a*b?a*b?a*b?a*b?a*b?a*x',
  '(?:[^é]*ü)*x',
  '(a+)+$',
  '([a-z]{1,60}){1,8}x',
  '(?:.{0,60}.{0,60}){0,16}x',
  '[a-z]{1,150}[a-z]{1,150}[a-z]{1,150}x',
  '(?:a?){100}a{100}x',
  `${'(?:a|'.repeat(40)}b${')*'.repeat(40)}x`,
  '\\p{L}{1,255}\\p{N}',
  '[ab]*a[ab]{14}x',
];

/** Descriptions that are as large, or refer to as much, as may be sent. */
export function hostileDescriptions(): Named<object>[] {
  const all = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `v${from + index}`);
  const headers = (count: number) => Object.fromEntries(all(count).map((name) => [name, '{host}']));
  const variables = (count: number) => Object.fromEntries(all(count).map((name) => [name, 'x']));
  const address = (count: number, from = 0) => `https://a.example/{${all(count, from).join('}{')}}`;
  const own = ownProvider('described');
  return [
    ['with many variables', { ...own, variables: variables(3000) }],
    ['with many placeholders', { ...own, apiBaseUrl: address(240), variables: variables(2500) }],
    [
      'with all that it may have',
      {
        ...own,
        ...{ auth: 'oauth2', apiKey: undefined, variables: variables(50), apiBaseUrl: address(20) },
        ...{ tokenUrl: address(20, 10), authorizationUrl: address(20, 20), revocationUrl: address(20, 30) },
      },
    ],
    ['with more fields than may be', { ...own, apiHeaders: headers(1500) }],
    ['with as many fields as may be', { ...own, apiHeaders: headers(100), apiQuery: headers(100) }],
    ['with a long template', { ...own, apiHeaders: { 'X-A': '{host}'.repeat(4500) } }],
    ...HARD_PATTERNS.flatMap((pattern): Named<object>[] => [
      [`with ${pattern}`, ownProvider('described', [pattern])],
      [`with 49 of ${pattern}`, ownProvider('described', Array(49).fill(pattern))],
    ]),
  ];
}
