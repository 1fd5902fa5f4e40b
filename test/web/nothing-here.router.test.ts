import { type Gateway, startGateway } from '../support/gateway.ts';

/** As browsers send it when an address is opened. */
const OF_BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(`${gateway.url}${path}`, { method, headers });

describe('an address at which nothing is', () => {
  it('shows a browser a page that leads to the dashboard, in its language', async () => {
    const response = await ask('/foo', { accept: OF_BROWSER, 'accept-language': 'de-AT,de;q=0.9' });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('gateway-request-id')).toEqual(expect.any(String));
    const page = await response.text();
    expect(page).toContain('<html lang="de">');
    expect(page).toContain('<h1>Hier ist keine Seite</h1>');
    expect(page).toContain(`href="${gateway.url}/"`);
    expect(page).not.toContain('/foo');
  });

  it.each([
    ['an API path', '/v1/nothing', OF_BROWSER, 'GET'],
    ['a proxied path', '/projects/x/nothing', OF_BROWSER, 'GET'],
    ['a program that accepts anything', '/foo', '*/*', 'GET'],
    ['a program that accepts JSON', '/foo', 'application/json', 'GET'],
    ['what is no look at a page', '/foo', OF_BROWSER, 'POST'],
  ])('stays a problem for %s', async (_who, path, accept, method) => {
    const response = await ask(path, { accept }, method);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({ status: 404, code: 'not_found' });
  });
});
