import fc from 'fast-check';
import type { PlacedCredential } from '../../src/lib/credential-placement.ts';
import { hostField, upstreamTarget } from '../../src/proxy/provider-request.ts';

const BEARER: PlacedCredential = { in: 'header', name: 'Authorization', value: 'Bearer t' };
const QUERY: PlacedCredential = { in: 'query', name: 'api_key', value: 'k/1&2' };

describe('the request target for the provider', () => {
  it.each([
    ['', '', '', '/'],
    ['', '/', '', '/'],
    ['', '', '?q=1', '/?q=1'],
    ['/v1', '', '', '/v1'],
    ['/v1', '/', '', '/v1/'],
    ['/v1', '', '?q=1', '/v1?q=1'],
    ['/v1', '/a//b', '?b=1&a=2', '/v1/a//b?b=1&a=2'],
    ['/api/x', '//y', '', '/api/x//y'],
  ])('is base path %j, path %j and query %j as %j', (basePath, rawPath, rawQuery, expected) => {
    expect(upstreamTarget({ rawPath, rawQuery }, { basePath }, BEARER)).toBe(expected);
  });

  it('is base, path and query set side by side for any of them', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '/', '%', '2', 'F', '.', '=', '&'), maxLength: 20 });
    fc.assert(
      fc.property(text, text, (path, query) => {
        const target = { rawPath: `/${path}`, rawQuery: `?${query}` };
        return upstreamTarget(target, { basePath: '/base' }, BEARER) === `/base/${path}?${query}`;
      }),
    );
  });

  it.each([
    ['', '?api_key=k%2F1%262'],
    ['?', '?api_key=k%2F1%262'],
    ['?a=1', '?a=1&api_key=k%2F1%262'],
    ['?a=1&', '?a=1&api_key=k%2F1%262'],
  ])('gets a query credential after the query %j', (rawQuery, expected) => {
    expect(upstreamTarget({ rawPath: '/x', rawQuery }, { basePath: '' }, QUERY)).toBe(`/x${expected}`);
  });

  it.each([
    ['', '/botk%2F1%262/sendMessage?a=1'],
    ['/file', '/file/botk%2F1%262/sendMessage?a=1'],
  ])('has a path credential after the base path %j, percent-encoded', (basePath, expected) => {
    const placed: PlacedCredential = { in: 'path', basePath: '/botk%2F1%262' };
    const target = { rawPath: '/sendMessage', rawQuery: '?a=1' };
    expect(upstreamTarget(target, { basePath }, placed)).toBe(expected);
  });

  it.each([
    ['', '?v=2&key=a%20b'],
    ['?a=1', '?a=1&v=2&key=a%20b'],
    ['?v=3', '?v=3&key=a%20b'],
    ['?%76=3&key', '?%76=3&key'],
  ])('gets the parameters of every call that the query %j lacks', (rawQuery, expected) => {
    const apiQuery = [
      ['v', 'v=2'],
      ['key', 'key=a%20b'],
    ] as const;
    const target = { rawPath: '/x', rawQuery };
    expect(upstreamTarget(target, { basePath: '' }, BEARER, apiQuery)).toBe(`/x${expected}`);
  });
});

describe('the Host of the provider', () => {
  it.each([
    ['https:', 'api.example.com', 443, 'api.example.com'],
    ['https:', 'api.example.com', 8443, 'api.example.com:8443'],
    ['http:', 'localhost', 80, 'localhost'],
    ['http:', '127.0.0.1', 443, '127.0.0.1:443'],
    ['https:', '2001:db8::1', 443, '[2001:db8::1]'],
    ['http:', '::1', 9000, '[::1]:9000'],
  ] as const)('of %s %s %d is %s', (protocol, hostname, port, expected) => {
    expect(hostField({ origin: '', basePath: '', protocol, hostname, port })).toBe(expected);
  });
});
