import { callApi, callApiOk } from '../support/gateway.ts';
import { ODD_VALUES } from '../support/odd-values.ts';
import { readOutcome } from '../support/stage.ts';
import { CLIENT, type ConnectingStage, startConnectingStage } from './connecting-stage.ts';

/** Where a variable can stand in the address that a browser is sent to. */
const PLACES = {
  label: 'https://{v}.acme.example/authorize',
  ending: 'https://accounts.acme.{v}/authorize',
  host: 'https://{v}/authorize',
  origin: '{v}/authorize',
  port: 'https://acme.example:{v}/authorize',
  path: 'https://acme.example/{v}/authorize',
  query: 'https://acme.example/authorize?at={v}',
  fragment: 'https://acme.example/#/{v}/authorize',
};

let stage: ConnectingStage;

beforeAll(async () => {
  const env = { ALLOW_PRIVATE_NETWORKS: 'true', RATE_LIMIT_CONNECT_PER_MINUTE: '0' };
  stage = await startConnectingStage([], { env });
  for (const [id, authorizationUrl] of Object.entries(PLACES)) {
    await describeProvider(`asks-${id}`, authorizationUrl, { v: { from: 'user', title: 'Place' } });
    await integrate(`asks-${id}`);
    await describeProvider(`knows-${id}`, authorizationUrl, { v: { from: 'integration', title: 'Place' } });
  }
});
afterAll(() => stage?.close());

const api = (method: string, path: string, body?: unknown) =>
  callApi(stage.gateway.url, method, `/v1${path}`, { bearer: stage.project.apiKey, body });
const apiOk = (method: string, path: string, body?: unknown) =>
  callApiOk(stage.gateway.url, method, `/v1${path}`, { bearer: stage.project.apiKey, body });

function describeProvider(id: string, authorizationUrl: string, variables: object) {
  const { url } = stage.provider;
  const account = { id: { path: 'account_id' } };
  const addresses = { authorizationUrl, tokenUrl: `${url}/token`, apiBaseUrl: `${url}/api` };
  return apiOk('POST', '/providers', { id, name: id, auth: 'oauth2', ...addresses, variables, account });
}

const integrate = (id: string, more: object = {}) =>
  apiOk('POST', '/integrations', { serviceProvider: `custom:${id}`, ...CLIENT, scopes: [], ...more });

async function openForm(provider: string) {
  const session = await stage.start('mia', { provider });
  const browser = stage.openBrowser();
  await browser.open(session.url);
  return { session, browser };
}

describe('a form that asks for what stands in the address', () => {
  it.each(Object.keys(PLACES))(
    'either leads there or says what is wrong with the field: %s',
    async (place) => {
      const { session, browser } = await openForm(`custom:asks-${place}`);
      const others: unknown[] = [];
      let refused = 0;
      for (const v of ODD_VALUES) {
        const page = await browser.submit(session.url, { v });
        const isRefused = page.status === 422 && page.body.includes('id="v-error" role="alert"');
        if (isRefused) refused += 1;
        else if (page.status !== 0) others.push([v, page.status]);
      }
      expect(others).toEqual([]);
      expect(refused).toBeGreaterThan(0);
    },
  );

  it.each(['x/../y', '..', '%2e%2e', 'x%2F..', 'a\\b'])('refuses %j as part of a path', async (v) => {
    const { session, browser } = await openForm('custom:asks-path');
    const page = await browser.submit(session.url, { v });
    expect([page.status, page.body.includes('id="v-error" role="alert"')]).toEqual([422, true]);
  });

  it('refuses what is wrong only together, at the field that the user filled in', async () => {
    await describeProvider('together', 'https://acme.example/{org}/{unit}.{team}/authorize', {
      org: { from: 'integration' },
      unit: { from: 'user' },
      team: { from: 'user' },
    });
    await integrate('together', { variables: { org: 'acme' } });
    const { session, browser } = await openForm('custom:together');
    const page = await browser.submit(session.url, { unit: 'x/', team: '/y' });
    expect([page.status, page.body.includes('id="unit-error" role="alert"')]).toEqual([422, true]);
    expect((await browser.submit(session.url, { unit: 'x', team: 'y' })).status).toBe(0);
  });
});

describe('the API', () => {
  it.each(Object.keys(PLACES))('either takes a value that works or says what is wrong: %s', async (place) => {
    const others: unknown[] = [];
    for (const v of ODD_VALUES) {
      const body = { serviceProvider: `custom:knows-${place}`, ...CLIENT, scopes: [], variables: { v } };
      const made = await api('POST', '/integrations', body);
      if (made.status === 422 && made.body.errors[0].path === 'body.variables.v') continue;
      if (made.status !== 201) others.push([v, made.status, made.body.code]);
      else {
        const session = await stage.start('mia', { provider: undefined, integrationId: made.body.id });
        const page = await stage.openBrowser().open(session.url);
        if (page.status !== 0) others.push([v, page.status]);
        await apiOk('DELETE', `/integrations/${made.body.id}`);
      }
    }
    expect(others).toEqual([]);
  });

  it('refuses values that are wrong together, and a client id that is wrong in an address', async () => {
    await describeProvider('client', 'https://acme.example/{clientId}/{org}.{team}/authorize', {
      org: { from: 'integration' },
      team: { from: 'integration' },
    });
    const body = {
      serviceProvider: 'custom:client',
      ...CLIENT,
      scopes: [],
      variables: { org: 'a', team: 'b' },
    };
    const pathsOf = async (more: object) =>
      (await api('POST', '/integrations', { ...body, ...more })).body.errors?.map(
        ({ path }: { path: string }) => path,
      );
    expect(await pathsOf({ clientId: 'a/../b' })).toEqual(['body.clientId']);
    expect(await pathsOf({ variables: { org: 'x/', team: '/y' } })).toEqual(['body.variables.org']);
    const { id } = await apiOk('POST', '/integrations', body);
    const changed = await api('PATCH', `/integrations/${id}`, { clientId: '..' });
    expect([changed.status, changed.body.errors]).toEqual([
      422,
      [{ path: 'body.clientId', message: expect.any(String) }],
    ]);
    expect((await api('PATCH', `/integrations/${id}`, { clientId: 'fine' })).status).toBe(200);
  });
});

it('a value that fits no more since the provider was changed ends in a page that says whose fault it is', async () => {
  await describeProvider('changes', PLACES.query, { v: { from: 'integration' } });
  await integrate('changes', { variables: { v: 'a/../b' } });
  await apiOk('PATCH', '/providers/custom:changes', { authorizationUrl: PLACES.path });
  const session = await stage.start('mia', { provider: 'custom:changes' });
  const page = await stage.openBrowser().open(session.url);
  expect(page.status).toBe(400);
  expect(readOutcome(page).message).toMatchObject({ status: 'error', error: 'integration_misconfigured' });
});
