import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type DemoCrm, startDemoCrm } from '../../examples/demo-crm/server.ts';
import { signV3 } from '../../examples/demo-crm/webhook-signature.ts';
import { closeServer, listen } from '../support/listen.ts';
import { until } from '../support/until.ts';
import { CLIENT, obtainTokens } from './demo-crm-client.ts';

const NORTHWIND = 48_100_271;
const CONTOSO = 48_233_904;
const CONTACTS = '/crm/v3/objects/contacts';

type SentEvent = {
  readonly eventId: number;
  readonly portalId: number;
  readonly subscriptionType: string;
  readonly objectId: number;
  readonly attemptNumber: number;
  readonly propertyName?: string;
  readonly propertyValue?: string;
};
type Received = { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string };

/** Where the CRM sends to. Answers with `statuses` in turn, and with 204 when they are used up. */
async function startTarget() {
  const received: Received[] = [];
  const statuses: number[] = [];
  let held: Promise<void> = Promise.resolve();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { headers, url = '' } = request;
    received.push({ url, headers, body: Buffer.concat(chunks).toString() });
    await held;
    response.writeHead(statuses.shift() ?? 204).end();
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/webhooks/app?of=crm`,
    received,
    statuses,
    /** Leaves requests unanswered until the returned function is called. */
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    batches: (): SentEvent[][] => received.map(({ body }) => JSON.parse(body)),
    close: () => closeServer(server),
  };
}

let crm: DemoCrm;
let target: Awaited<ReturnType<typeof startTarget>>;
let accessToken: string;

beforeAll(async () => {
  crm = await startDemoCrm({ clients: [CLIENT], contacts: 300, webhookRetryDelaysMs: [1, 1] });
  accessToken = String((await obtainTokens(crm)).tokens.access_token);
});

afterAll(() => crm.close());

beforeEach(async () => {
  target = await startTarget();
  crm.sendWebhooksTo(CLIENT.clientId, target.url);
});

afterEach(() => {
  crm.sendWebhooksTo(CLIENT.clientId, undefined);
  return target.close();
});

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${crm.url}${CONTACTS}${path}`, {
    method,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return text === '' ? {} : JSON.parse(text);
}

const settings = (method: string, path: string, body?: unknown, secret = CLIENT.clientSecret) =>
  fetch(`${crm.url}/webhooks/v3/${CLIENT.clientId}/${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${CLIENT.clientId}:${secret}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe('signature v3', () => {
  const clientSecret = 'yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy';
  const request = {
    method: 'POST',
    url: 'https://www.example.com/webhook_uri',
    body: '{"example_field":"example_value"}',
    timestampMs: 1_700_000_000_000,
  };

  it('is the known value for a known request', () => {
    expect(signV3(clientSecret, request)).toBe('rQEKkaNUiu+1qGF//O/pw4BCzstSqO1PyUnGICmf+7o=');
  });

  it('is over the address with the twelve characters decoded that HubSpot decodes, and no other', () => {
    const escaped = { ...request, url: 'https://www.example.com/a%3Ab?c=%40%21%2c%20d%25' };
    const decoded = { ...request, url: 'https://www.example.com/a:b?c=@!,%20d%25' };
    expect(signV3(clientSecret, escaped)).toBe(signV3(clientSecret, decoded));
    const space = { ...request, url: 'https://www.example.com/a:b?c=@!, d%25' };
    expect(signV3(clientSecret, escaped)).not.toBe(signV3(clientSecret, space));
  });
});

describe('a change of a contact', () => {
  it('is sent signed, with what HubSpot says of it, to the app that is installed in the account', async () => {
    const properties = { email: 'new@webhooks.test', firstname: 'Ada', lastname: 'New' };
    const { id } = await call('POST', '', { properties });
    await until(() => target.received.length === 1);
    await call('PATCH', `/${id}`, { properties: { jobtitle: 'Buyer', city: 'Lyon', firstname: 'Ada' } });
    await until(() => target.received.length === 2);
    await call('DELETE', `/${id}`);
    await until(() => target.received.length === 3);

    const common = {
      portalId: NORTHWIND,
      objectId: Number(id),
      appId: 1,
      attemptNumber: 0,
      changeSource: 'CRM',
    };
    expect(target.batches()).toMatchObject([
      [{ ...common, subscriptionType: 'contact.creation', changeFlag: 'CREATED' }],
      // The first name was that already.
      [
        {
          ...common,
          subscriptionType: 'contact.propertyChange',
          propertyName: 'jobtitle',
          propertyValue: 'Buyer',
        },
        {
          ...common,
          subscriptionType: 'contact.propertyChange',
          propertyName: 'city',
          propertyValue: 'Lyon',
        },
      ],
      [{ ...common, subscriptionType: 'contact.deletion', changeFlag: 'DELETED' }],
    ]);
    for (const { headers, body } of target.received) {
      const timestampMs = Number(headers['x-hubspot-request-timestamp']);
      expect(Math.abs(Date.now() - timestampMs)).toBeLessThan(300_000);
      expect(headers['x-hubspot-signature-v3']).toBe(
        signV3(CLIENT.clientSecret, { method: 'POST', url: target.url, body, timestampMs }),
      );
    }
  });

  it('is not sent for an account in which the app is not installed, nor while the app is turned off', async () => {
    crm.act(CONTOSO, 'change');
    const pause = () =>
      fetch(`${crm.url}/desk/apps/${CLIENT.clientId}/pause`, { method: 'POST', redirect: 'manual' });
    await pause();
    crm.act(NORTHWIND, 'change');
    await pause();
    crm.act(NORTHWIND, 'create');
    await until(() => target.received.length > 0);
    expect(target.batches()).toMatchObject([[{ portalId: NORTHWIND, subscriptionType: 'contact.creation' }]]);
  });

  it('waits while a batch of its account is under way, and then goes out with at most 99 others', async () => {
    const release = target.hold();
    crm.act(NORTHWIND, 'change');
    await until(() => target.received.length === 1);
    const changed = Array.from({ length: 150 }, () => crm.act(NORTHWIND, 'change')?.id);
    release();
    await until(() => target.received.length === 3);
    const [first, second, third] = target.batches();
    expect([first?.length, second?.length, third?.length]).toEqual([1, 100, 50]);
    expect([...(second ?? []), ...(third ?? [])].map(({ objectId }) => objectId)).toEqual(changed);
  });

  it('is sent again until it is accepted, and given up when the tries are used up', async () => {
    target.statuses.push(500, 429, 204, 500, 500, 500);
    crm.act(NORTHWIND, 'change');
    await until(() => target.received.length === 3);
    crm.act(NORTHWIND, 'create');
    await until(() => target.received.length === 6);
    crm.act(NORTHWIND, 'archive');
    await until(() => target.received.length === 7);
    const tries = target.batches().map(([event]) => [event?.subscriptionType, event?.attemptNumber]);
    expect(tries).toEqual([
      ['contact.propertyChange', 0],
      ['contact.propertyChange', 1],
      ['contact.propertyChange', 2],
      ['contact.creation', 0],
      ['contact.creation', 1],
      ['contact.creation', 2],
      ['contact.deletion', 0],
    ]);
    const [first, second] = target.batches();
    expect(first?.[0]?.eventId).toBe(second?.[0]?.eventId);
    await until(() => crm.webhookAttempts.at(-1)?.status === 204);
    expect(crm.webhookAttempts.slice(-7).map(({ status }) => status)).toEqual([
      500, 429, 204, 500, 500, 500, 204,
    ]);
  });
});

describe('the settings of an app', () => {
  it('are read and changed by who has its client secret, and by no other', async () => {
    expect((await settings('GET', 'settings', undefined, 'wrong')).status).toBe(401);
    expect((await settings('PUT', 'settings', { targetUrl: 'ftp://example.test' })).status).toBe(400);
    const put = await settings('PUT', 'settings', { targetUrl: `${target.url}&again` });
    expect(await put.json()).toMatchObject({ targetUrl: `${target.url}&again` });
    expect(await (await settings('GET', 'settings')).json()).toMatchObject({
      targetUrl: `${target.url}&again`,
    });
    expect((await settings('DELETE', 'settings')).status).toBe(204);
    expect((await settings('GET', 'settings')).status).toBe(404);
  });

  it('name what is sent: one property, where a subscription has one', async () => {
    const { results } = await (await settings('GET', 'subscriptions')).json();
    for (const { id } of results) await settings('DELETE', `subscriptions/${id}`);
    const wanted = { eventType: 'contact.propertyChange', propertyName: 'city' };
    const made = await settings('POST', 'subscriptions', wanted);
    expect(made.status).toBe(201);
    expect((await settings('POST', 'subscriptions', wanted)).status).toBe(409);
    expect((await settings('POST', 'subscriptions', { eventType: 'deal.creation' })).status).toBe(400);

    const { results: contacts } = await call('GET', '?limit=1');
    const properties = { jobtitle: 'Nobody', city: 'Nowhere' };
    await call('PATCH', `/${contacts[0].id}`, { properties });
    await until(() => target.received.length === 1);
    expect(target.batches()).toMatchObject([[{ propertyName: 'city', propertyValue: 'Nowhere' }]]);
  });
});

describe('the page of the CRM', () => {
  it('changes contacts, sets the target URL and shows what was sent, on the press of a button', async () => {
    const press = (path: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
      fetch(`${crm.url}/desk/${path}`, { method: 'POST', headers, body: new URLSearchParams(form) });
    await press(`apps/${CLIENT.clientId}/target`, { targetUrl: `${target.url}&set=by-hand` });
    const page = await (await press(`accounts/${NORTHWIND}/create`)).text();
    expect(page).toContain('created');
    expect(page).toContain('set=by-hand');
    await until(() => target.received.length === 1);
    expect(target.received[0]?.url).toContain('set=by-hand');
    await until(async () => (await (await fetch(crm.url)).text()).includes('answered 204'));

    const refused = await press(`accounts/${NORTHWIND}/archive`, {}, { 'sec-fetch-site': 'cross-site' });
    expect(refused.status).toBe(403);
  });
});
