import fc from 'fast-check';
import { resolveUrl, validateVariable } from '../../src/catalog/facts/resolve-url.ts';
import { positionsIn } from '../../src/catalog/facts/url-template.ts';
import type { Provider, ProviderVariable } from '../../src/catalog/schema/provider.schema.ts';
import { acmeProvider } from '../support/acme-provider.ts';

function provider(
  apiBaseUrl: string,
  variables: object,
  extra: { allowPrivateNetworks?: boolean } = {},
): Provider {
  const apiKey = { in: 'header', name: 'X-Key', template: '{apiKey}' };
  return acmeProvider({ auth: 'api-key', apiKey, apiBaseUrl, variables }, extra.allowPrivateNetworks);
}

function resolve(
  apiBaseUrl: string,
  values: Record<string, string>,
  variables?: object,
  allowPrivateNetworks = false,
) {
  const names = variables ?? Object.fromEntries(Object.keys(values).map((name) => [name, `the ${name}`]));
  const entry = provider(apiBaseUrl, names, { allowPrivateNetworks });
  return resolveUrl(entry.apiBaseUrl, entry, values);
}

function only(entry: Provider): ProviderVariable {
  const [variable] = entry.variables;
  if (variable === undefined) throw new Error('no variable');
  return variable;
}

describe('a filled template', () => {
  it.each([
    ['https://api.acme.example', {}, 'https://api.acme.example'],
    ['https://{shop}.acme.example/api', { shop: 'blue' }, 'https://blue.acme.example/api'],
    ['https://{shop}.acme.example', { shop: 'blue.eu' }, 'https://blue.eu.acme.example'],
    ['https://{shop}.acme.example', { shop: ' blue ' }, 'https://blue.acme.example'],
    ['https://{a}-{b}.acme.example', { a: 'live', b: 'eu' }, 'https://live-eu.acme.example'],
    ['https://accounts.acme.{region}', { region: 'com.au' }, 'https://accounts.acme.com.au'],
    ['https://{host}/api', { host: 'forum.example.org' }, 'https://forum.example.org/api'],
    ['https://{host}/api', { host: 'forum.example.org:8443' }, 'https://forum.example.org:8443/api'],
    ['https://{host}/api', { host: 'https://forum.example.org/' }, 'https://forum.example.org/api'],
    ['{base}/api', { base: 'https://a.example.org' }, 'https://a.example.org/api'],
    ['{base}/api', { base: 'https://a.example.org/tenant/' }, 'https://a.example.org/tenant/api'],
    [
      'https://api.acme.example/v1/{org}/x',
      { org: 'a b/c?d#e' },
      'https://api.acme.example/v1/a%20b%2Fc%3Fd%23e/x',
    ],
    ['https://api.acme.example/{org}', { org: 'ünï' }, 'https://api.acme.example/%C3%BCn%C3%AF'],
  ])('%s with %j is %s', (template, values, expected) => {
    expect(resolve(template, values)).toEqual({ ok: true, url: expected });
  });

  it('keeps a value in the query one value', () => {
    const entry = provider('https://api.acme.example/{org}', { org: 'the org' });
    expect(resolveUrl('https://api.acme.example?org={org}', entry, { org: 'a&b=c' })).toEqual({
      ok: true,
      url: 'https://api.acme.example?org=a%26b%3Dc',
    });
  });

  it('may be on http and on local hosts where private networks are allowed', () => {
    const local = (template: string, values: Record<string, string>) =>
      resolve(template, values, undefined, true);
    expect(local('{base}/api', { base: 'http://127.0.0.1:4000' })).toMatchObject({
      url: 'http://127.0.0.1:4000/api',
    });
    expect(local('http://{host}/api', { host: 'localhost:4000' })).toMatchObject({
      url: 'http://localhost:4000/api',
    });
    expect(local('http://{sub}.localhost:4000', { sub: 'a' })).toMatchObject({
      url: 'http://a.localhost:4000',
    });
    expect(local('http://127.0.0.1:{port}', { port: '4000' })).toMatchObject({
      url: 'http://127.0.0.1:4000',
    });
  });

  it('takes a default, and an option', () => {
    const variables = {
      region: {
        default: 'eu',
        options: [
          { value: 'eu', title: 'Europe' },
          { value: 'us', title: 'USA' },
        ],
      },
    };
    expect(resolve('https://{region}.acme.example', {}, variables)).toMatchObject({
      url: 'https://eu.acme.example',
    });
    expect(resolve('https://{region}.acme.example', { region: 'us' }, variables)).toMatchObject({ ok: true });
    expect(resolve('https://{region}.acme.example', { region: 'cn' }, variables)).toMatchObject({
      ok: false,
      variable: 'region',
    });
  });
});

describe('a refusal names the variable', () => {
  it.each([
    ['https://{shop}.acme.example', 'evil.org/'],
    ['https://{shop}.acme.example', 'evil.org?'],
    ['https://{shop}.acme.example', 'evil.org#'],
    ['https://{shop}.acme.example', 'evil.org:443'],
    ['https://{shop}.acme.example', 'user@evil'],
    ['https://{shop}.acme.example', 'evil.org\\'],
    ['https://{shop}.acme.example', 'evil.org%2f'],
    ['https://{shop}.acme.example', 'a..b'],
    ['https://{shop}.acme.example', '.a'],
    ['https://{shop}.acme.example', '-a'],
    ['https://{shop}.acme.example', 'a b'],
    ['https://{shop}.acme.example', 'a\nb'],
    ['https://{shop}.acme.example', 'é'],
    ['https://{shop}.acme.example', ''],
    ['https://{shop}.acme.example', ' '],
    ['https://{shop}.acme.example', '{shop}'],
    ['https://{shop}.acme.example', '\ud800'],
    ['https://accounts.acme.{region}', 'evil.org'],
    ['https://accounts.acme.{region}', 'com/x'],
    ['https://accounts.acme.{region}', 'com:8080'],
    ['https://{host}/api', 'localhost'],
    ['https://{host}/api', '127.0.0.1'],
    ['https://{host}/api', '0x7f.1'],
    ['https://{host}/api', '2130706433'],
    ['https://{host}/api', '[::1]'],
    ['https://{host}/api', 'a@b.example'],
    ['https://{host}/api', 'a.example/path'],
    ['https://{host}/api', 'a.example:99999'],
    ['{base}/api', 'http://a.example'],
    ['{base}/api', 'https://localhost'],
    ['{base}/api', 'https://127.0.0.1'],
    ['{base}/api', 'https://a:b@c.example'],
    ['{base}/api', 'https://a.example?x'],
    ['{base}/api', 'https://a.example#x'],
    ['{base}/api', 'https://a.example/../b'],
    ['{base}/api', 'https://a.example/./b'],
    ['{base}/api', 'javascript:alert(1)'],
    ['{base}/api', 'a.example'],
    ['https://acme.example/{org}/x', '..'],
    ['https://acme.example/{org}/x', '.'],
    ['https://acme.example/{org}/x', 'a\u0000b'],
    ['https://acme.example/{org}/x', 'x'.repeat(2001)],
  ])('%s with %j', (template, value) => {
    const [name = ''] = Object.keys({ [/\{(\w+)\}/.exec(template)?.[1] ?? '']: 1 });
    expect(resolve(template, { [name]: value })).toMatchObject({ ok: false, variable: name });
  });

  it('and so does one that is missing', () => {
    expect(resolve('https://{shop}.acme.example', {}, { shop: 'the shop' })).toMatchObject({
      ok: false,
      variable: 'shop',
    });
    const inherited = provider('https://{constructor}.acme.example', { constructor: 'a name' });
    expect(resolveUrl(inherited.apiBaseUrl, inherited, {})).toMatchObject({
      ok: false,
      variable: 'constructor',
    });
  });

  it('without repeating what was typed', () => {
    const variable = only(
      provider('https://{shop}.acme.example', {
        shop: { description: 'the part before .acme.example', example: 'blue' },
      }),
    );
    const judged = validateVariable(variable, 'sk_live/hunter2');
    expect(judged).toEqual({
      ok: false,
      message: 'shop is not valid: the part before .acme.example, for example blue',
    });
  });
});

it.each([
  ['https://{shop}.acme.example/x', 'host-label'],
  ['https://api-{shop}.acme.example', 'host-label'],
  ['https://{shop}.localhost', 'host-label'],
  // An attacker can register any name before a bare top-level domain.
  ['https://{shop}.example', 'host'],
  ['https://{shop}', 'host'],
  ['https://acme.{shop}', 'host'],
  ['https://accounts.acme.{shop}', 'host-ending'],
  ['https://acme.example:{shop}', 'port'],
  ['https://acme.example/{shop}', 'path'],
  ['https://acme.example/x?y={shop}', 'elsewhere'],
  ['{shop}/x', 'origin'],
])('a variable in %s stands at the position %s', (template, position) => {
  expect(positionsIn(template).get('shop')).toBe(position);
});

describe('a pattern of the file', () => {
  it('is anchored at both ends', () => {
    const variable = only(provider('https://acme.example/{org}', { org: { pattern: '[a-z]+|[0-9]+' } }));
    const accepted = ['abc', '123', 'abc1', '1abc', 'a-b', 'abc\nx'].filter(
      (value) => validateVariable(variable, value).ok,
    );
    expect(accepted).toEqual(['abc', '123']);
  });

  it('cannot open the host: what the position demands still holds', () => {
    const anything = { shop: { pattern: '.*' } };
    expect(resolve('https://{shop}.acme.example', { shop: 'evil.org/' }, anything)).toMatchObject({
      ok: false,
    });
    expect(resolve('https://{shop}.acme.example', { shop: 'fine' }, anything)).toMatchObject({ ok: true });
  });
});

describe('whatever is typed', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.webUrl(),
    fc.domain(),
    fc.string({ unit: fc.constantFrom(...'ae.-_/@:?#\\%{}[]0x27f1&= \t\r\n'), maxLength: 20 }),
  );

  it('a fixed domain after the variable stays the host that is called', () => {
    const entry = provider('https://{shop}.acme.example/api', { shop: 'the shop' });
    fc.assert(
      fc.property(nasty, (shop) => {
        const resolved = resolveUrl(entry.apiBaseUrl, entry, { shop });
        if (!resolved.ok) return;
        const url = new URL(resolved.url);
        expect(url.hostname.endsWith('.acme.example')).toBe(true);
        expect([url.protocol, url.port, url.username, url.pathname, url.search, url.hash]).toEqual([
          'https:',
          '',
          '',
          '/api',
          '',
          '',
        ]);
      }),
      { numRuns: 2000 },
    );
  });

  it('a variable in the path or the query stays one segment or one value', () => {
    const template = 'https://acme.example/v1/{org}/x?k={key}';
    const entry = provider('https://acme.example/v1/{org}/{key}', { org: 'the org', key: 'the key' });
    fc.assert(
      fc.property(nasty, nasty, (org, key) => {
        const resolved = resolveUrl(template, entry, { org, key });
        if (!resolved.ok) return;
        const url = new URL(resolved.url);
        expect([url.host, url.hash, url.pathname.split('/').length]).toEqual(['acme.example', '', 4]);
        expect(decodeURIComponent(url.pathname.split('/')[2] ?? '')).toBe(org.trim());
        expect([...url.searchParams]).toEqual([['k', key.trim()]]);
      }),
      { numRuns: 2000 },
    );
  });

  it('a host or origin variable gives a name in the public DNS, over https', () => {
    const host = provider('https://{host}/api', { host: 'the host' });
    const origin = provider('{base}/api', { base: 'the base' });
    fc.assert(
      fc.property(nasty, (value) => {
        for (const [entry, name] of [
          [host, 'host'],
          [origin, 'base'],
        ] as const) {
          const resolved = resolveUrl(entry.apiBaseUrl, entry, { [name]: value });
          if (!resolved.ok) continue;
          const url = new URL(resolved.url);
          expect([url.protocol, url.username, url.search, url.hash]).toEqual(['https:', '', '', '']);
          expect(url.hostname).toMatch(/\.[a-z][a-z0-9-]*$/);
          expect(url.pathname.endsWith('/api')).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
