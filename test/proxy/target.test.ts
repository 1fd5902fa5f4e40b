import fc from 'fast-check';
import { isProviderId, readTarget } from '../../src/proxy/target.ts';

const PROJECT = '0192f0c8-abcd-7000-8000-000000000001';
const PREFIX = `/projects/${PROJECT}/proxy/hubspot`;

describe('a request target of the proxy', () => {
  it.each([
    ['', '', ''],
    ['?a=1', '', '?a=1'],
    ['/', '/', ''],
    ['/crm/v3/objects', '/crm/v3/objects', ''],
    ['/a//b', '/a//b', ''],
    ['//evil.example/x', '//evil.example/x', ''],
    ['//a:b/', '//a:b/', ''],
    ['/a%2fb%2Fc', '/a%2fb%2Fc', ''],
    ['/A/b?Z=1&a=2&a=1&Z', '/A/b', '?Z=1&a=2&a=1&Z'],
    ['/a?x=../..&y=%5c%0d%0a%00', '/a', '?x=../..&y=%5c%0d%0a%00'],
    ['/a?q=x\\y', '/a', '?q=x\\y'],
    ['/file.tar.gz', '/file.tar.gz', ''],
    ['/.well-known/x', '/.well-known/x', ''],
    ['/..hidden/a..b/...', '/..hidden/a..b/...', ''],
    ['/%252e%252e/x', '/%252e%252e/x', ''],
    ['/100%/%zz', '/100%/%zz', ''],
    ["/a;b=1@:$,+!*'()", "/a;b=1@:$,+!*'()", ''],
    ['/a?b?c/../d', '/a', '?b?c/../d'],
    ['?x=/y', '', '?x=/y'],
  ])('keeps %j byte for byte', (rest, rawPath, rawQuery) => {
    expect(readTarget(PREFIX + rest)).toEqual({
      kind: 'proxy',
      projectId: PROJECT,
      provider: 'hubspot',
      host: undefined,
      rawPath,
      rawQuery,
    });
  });

  it.each([
    '/..',
    '/.',
    '/a/../b',
    '/a/./b',
    '/a/..',
    '/%2e%2e/b',
    '/%2E%2e/b',
    '/.%2e/b',
    '/%2e/b',
    '/a/..%2fb',
    '/a%2f..%2fb',
    '/a%2F%2e%2e',
    '/..;/b',
    '/..;x=1/b',
    '/.%3b/b',
    '/a\\b',
    '/a%5cb',
    '/a%5Cb',
    '/a%00b',
    '/a%0d%0ab',
    '/a%0Ab',
    '/a#b',
    '/a?b#c',
    '/a b',
    '/a\tb',
    '/caf\xe9',
    '/a?b=\x80',
    '/a\x7f',
  ])('refuses %j', (rest) => {
    expect(readTarget(PREFIX + rest)).toMatchObject({
      kind: 'refused',
      projectId: PROJECT,
      code: 'invalid_path',
    });
  });

  it.each([
    ['', '', ''],
    ['/x', '', '/x'],
    ['//x', '', '//x'],
    ['a', 'a', ''],
    ['a/', 'a', '/'],
  ])('takes %j behind the proxy apart where the provider may be missing', (rest, provider, rawPath) => {
    expect(readTarget(`/projects/${PROJECT}/proxy/${rest}`)).toMatchObject({
      kind: 'proxy',
      provider,
      rawPath,
    });
  });

  it('names the project in lower case, however the UUID was written', () => {
    expect(readTarget(PREFIX.replace(PROJECT, PROJECT.toUpperCase()))).toMatchObject({ projectId: PROJECT });
    expect(readTarget(`${PREFIX.replace(PROJECT, PROJECT.toUpperCase())}/..`)).toMatchObject({
      projectId: PROJECT,
    });
  });

  it('may ask the provider for 8 KiB of path and query, and no more', () => {
    const longest = `/${'a'.repeat(8_000)}?${'b'.repeat(190)}`;
    expect(readTarget(PREFIX + longest)).toMatchObject({ kind: 'proxy' });
    expect(readTarget(`${PREFIX}${longest}b`)).toMatchObject({ kind: 'refused', code: 'uri_too_long' });
  });

  it.each(['http://evil.example/projects/x/proxy/hubspot', '*', 'evil.example:443', '', 'projects/x'])(
    'refuses the form of %j',
    (target) => {
      expect(readTarget(target)).toMatchObject({ kind: 'refused' });
    },
  );

  it.each([
    '/',
    '/projects',
    '/projects/x',
    '/projects/x/proxy',
    '/projects/x/proxies/y',
    '/Projects/x/proxy/y',
    '/projects/x/Proxy/y',
    '/projects/x/%70roxy/y',
    '/projects/x?y/proxy/z',
    '//projects/x/proxy/y',
    '/v1/projects/x/proxy/y',
  ])('leaves %j to the rest of the app', (target) => {
    expect(readTarget(target)).toEqual({ kind: 'other' });
  });

  it('takes every path apart so that its parts make the whole again', () => {
    const byte = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string({ unit: byte, maxLength: 60 }), (rest) => {
        const reading = readTarget(`${PREFIX}/${rest}`);
        fc.pre(reading.kind === 'proxy');
        if (reading.kind !== 'proxy') return false;
        return reading.rawPath + reading.rawQuery === `/${rest}`;
      }),
    );
  });

  it('never lets a path through that a URL parser would resolve to another path', () => {
    const part = fc.constantFrom('.', '..', '%2e', '%2E', '/', 'a', '%2f', ';', '...', '%252e', '-', '\\');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const reading = readTarget(`${PREFIX}/${parts.join('')}`);
        if (reading.kind !== 'proxy') return true;
        return new URL(`http://provider.test${reading.rawPath}`).pathname === reading.rawPath;
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a provider name', () => {
  it.each(['hubspot', 'google-drive', 'x', 'custom:acme', '7shifts'])('can be %j', (name) => {
    expect(isProviderId(name)).toBe(true);
  });

  it.each(['', 'HUBSPOT', 'hub@evil', 'hub%2e', '.hub', 'hub.spot', '-hub', 'a'.repeat(81), '__proto__'])(
    'cannot be %j',
    (name) => {
      expect(isProviderId(name)).toBe(false);
    },
  );
});

it.each(['custom:acme', 'custom%3Aacme', 'custom%3aacme'])(
  '%s is one provider, however its colon is written',
  (segment) => {
    const path = '/a%3Ab';
    const reading = readTarget(`/projects/p/proxy/${segment}${path}`);
    expect(reading).toMatchObject({ provider: 'custom:acme', rawPath: path });
  },
);

describe('the host that a path names after the provider', () => {
  it.each([
    ['dropbox~content/2/files?x=~', 'dropbox', 'content', '/2/files', '?x=~'],
    ['dropbox%7Econtent', 'dropbox', 'content', '', ''],
    ['custom%3Aacme%7efiles/~me', 'custom:acme', 'files', '/~me', ''],
    ['dropbox~', 'dropbox', '', '', ''],
    ['a~b~c/', 'a', 'b~c', '/', ''],
  ])('of %j is read, and all else kept', (rest, provider, host, rawPath, rawQuery) => {
    const reading = readTarget(`/projects/p/proxy/${rest}`);
    expect(reading).toEqual({ kind: 'proxy', projectId: 'p', provider, host, rawPath, rawQuery });
  });

  it.each(['dropbox/~content', 'dropbox?~content', 'dropbox/2/~x'])('is none in %j', (rest) => {
    expect(readTarget(`/projects/p/proxy/${rest}`)).toMatchObject({ provider: 'dropbox', host: undefined });
  });
});
