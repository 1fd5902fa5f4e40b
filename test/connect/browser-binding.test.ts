import type { IncomingMessage } from 'node:http';
import { createBrowserBinding, readBrowserBinding } from '../../src/connect/browser-binding.ts';

const SESSION = '01890a5d-ac96-774b-bcce-b302099a8057';
const OTHER_SESSION = '01890a5d-ac96-774b-bcce-b302099a8058';
const PUBLIC_URL = 'https://gateway.example';

const requestWith = (cookie: string | undefined) => ({ headers: { cookie } }) as IncomingMessage;
const pairOf = (cookie: string) => cookie.split(';')[0] ?? '';

describe('the cookie that ties a session to a browser', () => {
  it('is one that no sibling host can set and no script can read, where the gateway is on https', () => {
    const { cookie } = createBrowserBinding(SESSION, PUBLIC_URL, 599.2);
    const [pair = '', ...attributes] = cookie.split('; ');
    expect(pair).toMatch(/^__Host-gateway_connect_[0-9a-f]{32}=[\w-]{43}$/);
    expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Lax', 'Max-Age=600', 'Secure']);
  });

  it('is read back among others, for its own session only', () => {
    const { cookie, hash } = createBrowserBinding(SESSION, PUBLIC_URL, 600);
    const request = requestWith(`a=b; ${pairOf(cookie)}; c=d`);
    expect(readBrowserBinding(request, SESSION, PUBLIC_URL)).toEqual(hash);
    expect(readBrowserBinding(request, OTHER_SESSION, PUBLIC_URL)).toBeUndefined();
  });

  it('is not read without its prefix, empty, or not at all', () => {
    const pair = pairOf(createBrowserBinding(SESSION, PUBLIC_URL, 600).cookie);
    const name = pair.slice(0, pair.indexOf('='));
    for (const cookie of [pair.replace('__Host-', ''), `${name}=`, name, '', undefined]) {
      expect(readBrowserBinding(requestWith(cookie), SESSION, PUBLIC_URL)).toBeUndefined();
    }
  });
});
