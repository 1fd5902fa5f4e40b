import { createHmac } from 'node:crypto';
import { type FakeCrm, PEOPLE, startFakeCrm } from '../polls/fake-crm.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApiOk, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

const SECRET = 'signing-secret-of-the-crm';

let crm: FakeCrm;
let gateway: Gateway;
let project: Project;
let webhookUrl: string;
let pollId: string;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  crm = await startFakeCrm();
  crm.state.clockMs = Date.now();
  cleanUps.push(crm.close);
  const catalog = await createCatalogDir({ 'fake-crm': JSON.stringify(providerAt(crm.url)) });
  cleanUps.push(catalog.remove);
  gateway = await startGateway({ catalogDir: catalog.path });
  cleanUps.push(gateway.stop);
  project = await provision(gateway);
  const integration = await api('POST', '/v1/integrations', {
    serviceProvider: 'fake-crm',
    webhookSecret: SECRET,
  });
  ({ webhookUrl } = integration);
  await api('POST', '/v1/connections', {
    integrationId: integration.id,
    userId: 'ada',
    accountId: 'account-1',
    credentials: { apiKey: 'key' },
  });
  const body = { integrationId: integration.id, resource: 'people', intervalSeconds: 3600 };
  ({ id: pollId } = await api('POST', '/v1/polls', body));
  await until(async () => (await runsEnded()) === 1);
});

afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

const providerAt = (apiBaseUrl: string) => ({
  id: 'fake-crm',
  name: 'Fake CRM',
  auth: 'api-key',
  apiBaseUrl,
  apiKey: { in: 'header', name: 'X-Key', template: 'Key {apiKey}' },
  polls: { people: PEOPLE },
  webhooks: {
    supported: true,
    scope: 'application',
    signature: { scheme: 'hmac', at: 'header:X-Signature', signed: ['{body}'] },
    secret: { from: 'operator' },
    payload: {
      items: '[]',
      eventType: '{type}',
      eventId: '{eventId}',
      objectId: '{id}',
      account: '{account}',
      occurredAt: '{at}',
      occurredAtUnit: 'milliseconds',
    },
  },
});

const api = (method: string, path: string, body?: object) =>
  callApiOk(gateway.url, method, path, { bearer: project.apiKey, ...(body && { body }) });

async function runsEnded(): Promise<number> {
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(/gateway_poll_runs_total\{outcome="completed"\} (\d+)/.exec(metrics)?.[1] ?? 0);
}

async function poll(): Promise<void> {
  const before = await runsEnded();
  await api('POST', `/v1/polls/${pollId}/run`, {});
  await until(async () => (await runsEnded()) > before);
}

let lastEventId = 0;

/** Sends the changes as one webhook, and answers the receipt once it has been processed. */
async function deliver(...changes: readonly { type: string; id: string; at: number }[]) {
  const events = changes.map((change) => {
    lastEventId += 1;
    return { ...change, account: 'account-1', eventId: lastEventId };
  });
  const body = JSON.stringify(events);
  const headers = { 'x-signature': createHmac('sha256', SECRET).update(body).digest('hex') };
  const { status } = await fetch(webhookUrl, { method: 'POST', body, headers });
  expect(status).toBe(200);
  return newestReceipt();
}

async function newestReceipt() {
  for (;;) {
    const { receipts } = await api('GET', '/v1/webhook-receipts?limit=1');
    if (receipts[0].splitAt !== null) return receipts[0];
  }
}

async function readEvents(id: string): Promise<string[]> {
  const { events } = await api('GET', '/v1/events?types=fake-crm.*&limit=1000');
  return events
    .filter((event: { object: { id: string } }) => event.object.id === id)
    .map(({ type, source }: { type: string; source: string }) => `${source} ${type}`);
}

/** The next time of the provider's clock. */
function tick(): number {
  crm.state.clockMs += 1_000;
  return crm.state.clockMs;
}

describe('one change of a record', () => {
  it('that a webhook reports and a poll reads later is one event', async () => {
    const at = tick();
    crm.put('webhook-first');
    expect(await deliver({ type: 'person.created', id: 'webhook-first', at })).toMatchObject({
      state: 'accepted',
    });
    await poll();
    expect(await readEvents('webhook-first')).toEqual(['webhook fake-crm.person.created']);

    tick();
    crm.put('webhook-first', { name: 'Changed since' });
    await poll();
    expect(await readEvents('webhook-first')).toHaveLength(2);
  });

  it('that a poll reports and a webhook brings later is one event, and the webhook a duplicate', async () => {
    const at = tick();
    crm.put('poll-first');
    await poll();
    const receipt = await deliver({ type: 'person.created', id: 'poll-first', at });
    expect(receipt).toMatchObject({ state: 'duplicate', events: { matched: 0, duplicates: 1 } });
    expect(await readEvents('poll-first')).toEqual(['poll fake-crm.person.created']);

    await deliver({ type: 'person.updated', id: 'poll-first', at: tick() });
    expect(await readEvents('poll-first')).toEqual([
      'poll fake-crm.person.created',
      'webhook fake-crm.person.updated',
    ]);
  });

  it('is recognised among the others of one webhook', async () => {
    const at = tick();
    for (let index = 0; index < 20; index += 1) crm.put(`polled-${index}`);
    await poll();
    const changes = Array.from({ length: 20 }, (_, index) => [
      { type: 'person.created', id: `polled-${index}`, at },
      { type: 'person.created', id: `pushed-${index}`, at },
      // Of what is not polled.
      { type: 'invoice.created', id: `polled-${index}`, at },
    ]);
    const receipt = await deliver(...changes.flat());
    expect(receipt.events).toMatchObject({ total: 60, matched: 40, duplicates: 20 });
    expect(await readEvents('polled-7')).toEqual([
      'poll fake-crm.person.created',
      'webhook fake-crm.invoice.created',
    ]);
  });

  it('that a webhook reported stays one event when the webhook is replayed', async () => {
    const at = tick();
    crm.put('replayed');
    const receipt = await deliver({ type: 'person.created', id: 'replayed', at });
    await poll();
    await api('POST', `/v1/webhook-receipts/${receipt.id}/replay`, {});
    await newestReceipt();
    expect(await readEvents('replayed')).toEqual(['webhook fake-crm.person.created']);
  });
});
