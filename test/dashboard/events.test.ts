import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { findingsInBothSchemes } from '../support/axe.ts';
import { visit } from '../support/dashboard.ts';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';
import { type KafkaBroker, startKafkaBroker } from '../support/kafka-broker.ts';
import { accept, type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const SECRET = 'the client secret of the hub';

let stage: DashboardStage;
let receiver: Receiver;
let broker: KafkaBroker;
let page: Page;
let base: string;
let integrationId: string;
let webhookUrl: string;

beforeAll(async () => {
  const user = { name: 'gateway', password: 'the password' };
  broker = await startKafkaBroker({ user });
  [stage, receiver] = await Promise.all([startDashboardStage(), startReceiver()]);
  const { id: projectId } = stage.project;
  base = `/p/${projectId}/events`;
  const integration = await stage.call('POST', '/v1/integrations', {
    ...{ projectId, serviceProvider: 'hubspot', clientId: 'client', clientSecret: SECRET },
    scopes: ['crm.objects.contacts.read'],
  });
  integrationId = integration.id;
  webhookUrl = integration.webhookUrl;
  page = await stage.openAs('owner');
});

afterAll(async () => {
  await stage?.close();
  await receiver?.close();
  await broker?.close();
});

afterEach(() => expect(stage.takeFaults()).toEqual([]));

const row = (text: string | RegExp) => page.locator('tbody tr').filter({ hasText: text });
const dialog = () => page.getByRole('dialog');
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });

/** A connection of the user, which the stream tells of. */
function connect(userId: string) {
  const credentials = { accessToken: 'access', refreshToken: 'refresh' };
  return stage.call('POST', '/v1/connections', { integrationId, userId, accountId: '4711', credentials });
}

/** A webhook as HubSpot sends it; `secret` undefined: not signed. */
async function sendWebhook(portalId: number, secret: string | undefined): Promise<number> {
  const body = JSON.stringify([
    {
      eventId: 1,
      subscriptionId: 2,
      subscriptionType: 'contact.creation',
      objectId: 77,
      portalId,
      occurredAt: 3,
    },
  ]);
  const timestamp = String(Date.now());
  const mac = createHmac('sha256', secret ?? '').update(`POST${webhookUrl}${body}${timestamp}`);
  const signed = {
    'x-hubspot-signature-v3': mac.digest('base64'),
    'x-hubspot-request-timestamp': timestamp,
  };
  const headers = { 'content-type': 'application/json', ...(secret !== undefined && signed) };
  const { status } = await fetch(webhookUrl, { method: 'POST', headers, body });
  return status;
}

describe('the events pages', () => {
  it('make a destination and show its secret once', async () => {
    await visit(page, `${base}/destinations`);
    await button('Create destination').click();
    await dialog().getByLabel('URL').fill(receiver.url);
    await dialog().getByRole('button', { name: 'Create destination' }).click();
    await page
      .getByRole('region', { name: 'Signing secret' })
      .getByText(/^whsec_/)
      .waitFor();
    await row('127.0.0.1').getByText('Not tried yet').waitFor();
    await button('I have stored it').click();
    await page.getByText(/^whsec_/).waitFor({ state: 'detached' });
  });

  it('say beside the field what is wrong with an address', async () => {
    await button('Create destination').click();
    await dialog().getByLabel('URL').fill('https://user:secret@app.example.test/');
    await dialog().getByRole('button', { name: 'Create destination' }).click();
    await dialog()
      .getByText(/user name/)
      .nth(1)
      .waitFor();
    await page.keyboard.press('Escape');
  });

  it('make a destination of a topic, and say in words what its brokers refuse', async () => {
    await button('Create destination').click();
    await dialog().getByLabel('Kind').selectOption('kafka');
    await dialog().getByLabel('Brokers').fill(broker.address);
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Topic').fill('crm-events');
    await dialog().getByLabel('TLS').selectOption('none');
    await dialog().getByLabel('Authentication').selectOption('scram-sha-512');
    await dialog().getByLabel('User name').fill('gateway');
    await dialog().getByLabel('Password', { exact: true }).fill('wrong');
    await dialog().getByRole('button', { name: 'Create destination' }).click();
    await button('I have stored it').click();
    await row('kafka://127.0.0.1').getByRole('link').first().click();
    await page.getByText('SCRAM-SHA-512, gateway').waitFor();
    await button('Send test event').click();
    await dialog().getByText('The brokers do not take the user or the password.').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    const list = await stage.call('GET', `/v1/event-destinations?projectId=${stage.project.id}`);
    const made = list.eventDestinations.find((one: { kind: string }) => one.kind === 'kafka');
    await stage.call('DELETE', `/v1/event-destinations/${made.id}`);
    await visit(page, `${base}/destinations`);
  });

  it('send a test event and show the answer', async () => {
    await row(/^127\.0\.0\.1/)
      .getByRole('link')
      .first()
      .click();
    await button('Send test event').click();
    await dialog()
      .getByText(/The test event arrived: 200/)
      .waitFor();
    await dialog().getByText('ok', { exact: true }).waitFor();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
  });

  it('show events as they come, with the payload and where it went', async () => {
    await visit(page, base);
    await connect('user-1');
    await button('Follow live').or(button('Refresh')).first().waitFor();
    await button('Follow live').click();
    await row('connection.created').waitFor();
    await connect('user-2');
    await row('user-2').waitFor();
    await button('Pause').click();
    await row('user-2').getByRole('button', { name: 'connection.created' }).click();
    await dialog().getByText('accountId:').waitFor();
    await dialog().getByText('Delivered', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('event')).toMatch(/^[0-9a-f-]{36}$/);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('narrow the stream by type, in the address', async () => {
    await visit(page, `${base}?types=hubspot.*`);
    await page.getByText('Nothing matches these filters.').waitFor();
    await button(/Remove filter Type: hubspot/).click();
    await row('user-1').waitFor();
  });

  it('group failures by cause, compare attempts, and send them again', async () => {
    let refusals = 0;
    receiver.answer = (response) => {
      refusals += 1;
      response.writeHead(refusals % 2 ? 500 : 503).end(`refusal ${refusals}`);
    };
    await connect('user-3');
    await until(() => refusals > 0);
    await visit(page, `${base}/deliveries`);
    await row(/Answered 50[03]/)
      .first()
      .waitFor();
    await row('Will be tried again').getByRole('button', { name: 'connection.created' }).click();
    await dialog().getByRole('button', { name: 'Retry' }).click();
    await until(() => refusals > 1);
    await dialog().getByRole('heading', { name: 'Compare attempts' }).waitFor();
    await dialog()
      .getByText(/^\+ refusal \d/)
      .waitFor();
    await page.keyboard.press('Escape');
    receiver.answer = accept;
    await button(/^Retry \d/)
      .first()
      .click();
    await page.getByRole('heading', { name: 'Failures by cause' }).waitFor({ state: 'detached' });
  });

  it('say what a delivery waits for, and count as the queue only what waits', async () => {
    let refusals = 0;
    receiver.answer = (response) => {
      refusals += 1;
      response.writeHead(500).end();
    };
    await connect('user-4');
    await until(() => refusals > 0);
    const { eventDestinations } = await stage.call(
      'GET',
      `/v1/event-destinations?projectId=${stage.project.id}`,
    );
    const refused = eventDestinations.find(({ url }: { url: string }) => url === receiver.url);
    let shown = { ...refused, state: 'failing', pausedUntil: new Date(Date.now() + 240_000).toISOString() };
    shown.queue = { ...refused.queue, waiting: 1_074, behind: 25_007 };
    await page.route('**/v1/event-destinations?*', (route) =>
      route.fulfill({ json: { eventDestinations: [shown], nextCursor: null } }),
    );
    await visit(page, `${base}/destinations`);
    await row('1,074 waiting').waitFor();
    await visit(page, `${base}/deliveries`);
    await row('connection.created').filter({ hasText: 'after the destination’s next attempt' }).waitFor();
    shown = { ...shown, state: 'disabled', pausedUntil: null };
    await page.reload();
    await row('connection.created').filter({ hasText: 'when the destination is enabled' }).waitFor();
    const causes = page.getByRole('table', { name: 'Failures by cause' });
    await causes.getByText('when the destination is enabled').waitFor();
    await page.unrouteAll();
    receiver.answer = accept;
    const all = { states: ['failed', 'dead'] };
    await stage.call('POST', `/v1/event-destinations/${refused.id}/retry`, all);
  });

  it('say why a webhook was rejected or not matched, and lead to what mends it', async () => {
    expect(await sendWebhook(99, SECRET)).toBe(200);
    expect(await sendWebhook(99, 'another')).toBe(401);
    await visit(page, `${base}/webhooks?integrationId=${integrationId}`);
    await page.getByText(webhookUrl).waitFor();
    await row('No connection has this account').waitFor();
    await row('The signature does not fit').getByRole('button').click();
    await dialog()
      .getByText(/webhook secret here is not the one/)
      .waitFor();
    await dialog().getByText('portalId:').waitFor();
    const fix = dialog().getByRole('link', { name: 'Enter another webhook secret' });
    expect(await fix.getAttribute('href')).toContain(`/integrations/${integrationId}`);
    await page.keyboard.press('Escape');
    await row('No connection has this account').getByRole('button').click();
    await dialog().getByRole('button', { name: 'Match again' }).click();
    await page.getByText('It is matched again now').waitFor();
    await page.keyboard.press('Escape');
  });

  it('wait for a handshake that brings the webhook secret, where there is one, and say until when', async () => {
    await visit(page, `${base}/webhooks?integrationId=${integrationId}`);
    await page.getByText('Nothing is subscribed yet.').waitFor();
    expect(await button('Wait for the handshake').count()).toBe(0);
    const { id } = await stage.call('POST', '/v1/integrations', {
      ...{ projectId: stage.project.id, serviceProvider: 'notion', clientId: 'client', clientSecret: SECRET },
      scopes: [],
    });
    await visit(page, `${base}/webhooks?integrationId=${id}`);
    await button('Wait for the handshake').click();
    await page.getByText(/The first secret that comes is taken; this ends\s+in 1\d minutes/).waitFor();
    const viewer = await stage.openAs('viewer');
    await viewer.goto(`${base}/webhooks?integrationId=${id}`);
    await viewer.getByText('The first secret that comes is taken').waitFor();
    expect(await viewer.getByRole('button', { name: 'Wait for the handshake' }).count()).toBe(0);
    await viewer.close();
  });

  it('make a poll of the catalog, pause it, and show its connections', async () => {
    await visit(page, `${base}/polls`);
    await button('Create poll').click();
    await dialog().getByLabel('Resource', { exact: true }).selectOption('contacts');
    await dialog().getByRole('button', { name: 'Create poll' }).click();
    await row('contacts').getByRole('link').first().click();
    await row('user-1').waitFor();
    await button('Pause').click();
    await page.getByRole('heading', { level: 1 }).locator('..').getByText('Paused').waitFor();
    await button('Resume').waitFor();
  });

  it('offer a viewer what there is, and no change of it', async () => {
    const viewer = await stage.openAs('viewer');
    await viewer.goto(`${base}/destinations`);
    await viewer.getByRole('link', { name: /127/ }).click();
    await viewer.getByRole('heading', { name: 'Health' }).waitFor();
    expect(await viewer.getByRole('button', { name: 'Send test event' }).count()).toBe(0);
    await viewer.close();
  });

  it('have no serious accessibility fault in light or dark', async () => {
    const findings: string[] = [];
    const look = async (place: string) =>
      findings.push(...(await findingsInBothSchemes(page)).map((line) => `${place}: ${line}`));
    for (const section of [
      '',
      '/destinations',
      '/deliveries',
      `/webhooks?integrationId=${integrationId}`,
      '/polls',
    ]) {
      await visit(page, base + section);
      await page.locator('tbody tr').first().waitFor();
      await look(section);
    }
    await page.locator('tbody tr').first().getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await look('a poll');
    await visit(page, base);
    await page.locator('tbody tr').first().getByRole('button').first().click();
    await dialog().getByText('Payload').waitFor();
    await look('an event');
    expect(findings).toEqual([]);
  });
});
