import { createHash } from 'node:crypto';
import { createWsseSigner } from '../../src/request-signing/wsse.ts';

const standard = { username: '{username}', secret: '{secret}', digest: 'bytes' } as const;
// The example of the page that described the field first, https://www.xml.com/pub/a/2003/12/17/dive.html
const PUBLISHED = {
  values: { username: 'bob', secret: 'taadtaadpstcsm' },
  nonce: 'd36e316282959a9ed4c89851497a717f',
  nowMs: Date.UTC(2003, 11, 15, 14, 43, 7, 345),
};
const request = {
  method: 'POST',
  origin: 'https://api.example.com',
  host: 'api.example.com',
  target: '/v2/a%20b?x=1',
  fields: ['Host', 'api.example.com', 'Authorization', 'Bearer client', 'x-wsse', 'of the caller'],
  hostName: undefined,
  body: undefined,
  values: PUBLISHED.values,
  nowMs: PUBLISHED.nowMs,
};
const valueIn = (fields: readonly string[]) => fields[fields.indexOf('X-WSSE') + 1] ?? '';

describe('a call with WSSE', () => {
  it('bears the digest of the published example', () => {
    const { target, fields } = createWsseSigner(standard, {}, () => PUBLISHED.nonce).sign(request);
    expect(target).toBe(request.target);
    expect(fields).toEqual([
      'Host',
      'api.example.com',
      'X-WSSE',
      'UsernameToken Username="bob", PasswordDigest="quR/EWLAV4xLf9Zqyw4pDmfV9OY=", Nonce="d36e316282959a9ed4c89851497a717f", Created="2003-12-15T14:43:07Z"',
    ]);
  });

  it('bears the hexadecimal digits of the digest in Base64 where the entry says so', () => {
    const signer = createWsseSigner({ ...standard, digest: 'hex' }, {}, () => PUBLISHED.nonce);
    const [, digest = ''] = /PasswordDigest="([^"]+)"/.exec(valueIn(signer.sign(request).fields)) ?? [];
    const digits = createHash('sha1').update(`${PUBLISHED.nonce}2003-12-15T14:43:07Ztaadtaadpstcsm`);
    expect(Buffer.from(digest, 'base64').toString()).toBe(digits.digest('hex'));
  });

  it('has a nonce of its own, and lets bodies stream', () => {
    const signer = createWsseSigner(standard, {});
    const nonces = [1, 2].map(() => /Nonce="([0-9a-f]{32})"/.exec(valueIn(signer.sign(request).fields))?.[1]);
    expect(new Set(nonces).size).toBe(2);
    expect(nonces).not.toContain(undefined);
    expect(signer.bodyUse({ fields: [], announcedBytes: 10_000_000_000 })).toBe('streams');
  });

  it.each<[string, Record<string, string>]>([
    ['a secret', { username: 'bob' }],
    ['a name', { secret: 'x' }],
    ['a name that can stand between quotes', { username: 'bob", Created="x', secret: 'x' }],
    ['a name that can stand in a field', { username: 'bob\r\nX-Other: 1', secret: 'x' }],
  ])('is refused where the credential lacks %s', (_what, values) => {
    expect(() => createWsseSigner(standard, {}).sign({ ...request, values })).toThrow(
      expect.objectContaining({ code: 'integration_misconfigured' }),
    );
  });
});
