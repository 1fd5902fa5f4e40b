import { validateJwksUrl, validateOrigin, validateReturnUrl } from '../../src/projects/web-addresses.ts';

const STRICT = { allowInsecure: false };
const LAX = { allowInsecure: true };

describe('web addresses of a project', () => {
  it.each([
    'https://app.example.com',
    'https://xn--mller-kva.example',
    'http://localhost:3000',
    'http://app.localhost',
    'http://127.0.0.2:1',
    'http://[::1]:8080',
  ])('takes the origin %s', (origin) => {
    expect(validateOrigin(origin, STRICT)).toEqual({ ok: true });
  });

  it.each([
    'app.example.com',
    'null',
    '*',
    'https://',
    'https://*',
    'https://app.example.com/',
    'https://app.example.com?',
    'https://app.example.com#',
    'https://müller.example',
    'HTTPS://app.example.com',
    'https:app.example.com',
    'https://app.example.com ',
    'https://app.example.com.evil\t.example',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'ftp://app.example.com',
    'chrome-extension://abc',
  ])('refuses the origin %j', (origin) => {
    expect(validateOrigin(origin, STRICT).ok).toBe(false);
  });

  it('takes plain http of any host only where that is allowed', () => {
    for (const judge of [validateOrigin, validateReturnUrl, validateJwksUrl]) {
      expect(judge('http://intranet.example', STRICT).ok).toBe(false);
      expect(judge('http://intranet.example', LAX).ok).toBe(true);
    }
    expect(validateOrigin('http://*.example', LAX).ok).toBe(false);
  });

  it('fetches keys by https even from loopback, unless private networks are allowed', () => {
    expect(validateJwksUrl('http://127.0.0.1/jwks.json', STRICT).ok).toBe(false);
    expect(validateJwksUrl('http://127.0.0.1/jwks.json', LAX).ok).toBe(true);
    expect(validateJwksUrl('https://user:pass@login.example/jwks.json', LAX).ok).toBe(false);
    expect(validateJwksUrl('file:///etc/passwd', LAX).ok).toBe(false);
  });

  it.each([
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/jwks',
    'https://127.0.0.1/jwks',
    'https://2130706433/jwks',
    'https://0x7f.1/jwks',
    'https://[::1]/jwks',
    'https://[::ffff:10.0.0.1]/jwks',
    'https://[fd00:ec2::254]/jwks',
    'https://100.100.100.200/jwks',
    'https://localhost/jwks',
    'https://idp.localhost./jwks',
    'https://metadata.google.internal/jwks',
  ])('fetches no keys from %s, unless private networks are allowed', (url) => {
    expect(validateJwksUrl(url, STRICT).ok).toBe(false);
    expect(validateJwksUrl(url, LAX).ok).toBe(true);
  });

  it.each(['https://login.example/jwks', 'https://93.184.216.34/jwks', 'https://localhost.example/jwks'])(
    'fetches keys from %s',
    (url) => {
      expect(validateJwksUrl(url, STRICT).ok).toBe(true);
    },
  );

  it.each(['https://app.example.com/done?a=b', 'http://localhost:3000/'])(
    'takes the return URL %s',
    (url) => {
      expect(validateReturnUrl(url, STRICT)).toEqual({ ok: true });
    },
  );

  it.each([
    'https://app.example.com/#',
    'https://app.example.com\\@evil.example/',
    'https://app.example.com@evil.example/',
    '//app.example.com/',
    'https:///app.example.com',
    'data:text/html,x',
    `https://app.example.com/${'x'.repeat(2000)}`,
  ])('refuses the return URL %j', (url) => {
    expect(validateReturnUrl(url, STRICT).ok).toBe(false);
  });
});
