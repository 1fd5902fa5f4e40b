import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { PROJECT_ACTIONS } from '../../src/activity/actions.ts';
import { findingsInBothSchemes } from '../support/axe.ts';
import { visit } from '../support/dashboard.ts';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';
import { dashboardTexts } from '../support/dashboard-texts.ts';
import { callApiOk } from '../support/gateway.ts';

let stage: DashboardStage;
let page: Page;
let address: string;

beforeAll(async () => {
  stage = await startDashboardStage();
  const { id, apiKey } = stage.project;
  address = `/p/${id}/activity`;
  await stage.call('PATCH', `/v1/projects/${id}`, { name: 'Northwind', returnUrls: [] });
  const key = await stage.call('POST', `/v1/projects/${id}/api-keys`, { name: '=Backend' });
  await stage.call('POST', `/v1/projects/${id}/api-keys/${key.id}/rotate`, { overlapSeconds: 7_200 });
  await stage.call('POST', `/v1/projects/${id}/revocations`, { userId: 'user-9' });
  const byKey = await fetch(`${stage.gateway.url}/v1/projects/${id}/revocations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jti: 'token-1' }),
  });
  expect(byKey.status).toBe(201);
  page = await stage.openAs('owner');
});

afterAll(() => stage?.close());

afterEach(() => expect(stage.takeFaults()).toEqual([]));

const rows = () => page.locator('tbody tr');
const row = (text: string) => rows().filter({ hasText: text });
const chip = (name: string) => page.getByRole('button', { name: `Remove filter ${name}` });

async function choose(filter: string, option: string): Promise<void> {
  await page.getByRole('button', { name: filter, exact: true }).click();
  await page.getByRole('menuitem', { name: option, exact: true }).click();
}

/** An authorization whose user says no at the provider. */
async function denySignIn(): Promise<void> {
  const { id: projectId } = stage.project;
  const client = { clientId: 'client', clientSecret: 'secret', scopes: ['oauth'] };
  const body = { projectId, serviceProvider: 'hubspot', ...client };
  const { id: integrationId } = await stage.call('POST', '/v1/integrations', body);
  const { url } = await callApiOk(stage.gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: stage.project.apiKey,
    body: { integrationId, userId: 'user-1', completion: 'link' },
  });
  const opened = await fetch(url, { redirect: 'manual' });
  const state = new URL(opened.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const cookie = opened.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const back = new URL('/oauth/callback', stage.gateway.url);
  back.search = String(new URLSearchParams({ state, error: 'access_denied' }));
  expect((await fetch(back, { headers: { cookie } })).status).toBe(403);
}

describe('the activity of a project', () => {
  it('says in words who did what, of what, and from where', async () => {
    await visit(page, address);
    const rotated = row('API key rotated').filter({ hasText: '=Backend; the old key ended after 2 hours' });
    await rotated.getByRole('cell', { name: 'owner@example.test', exact: true }).waitFor();
    await rotated.getByText('127.0.0.1').waitFor();
    await row('Project changed').filter({ hasText: 'name, return URLs' }).waitFor();
    await row('User tokens revoked').filter({ hasText: 'of user user-9' }).waitFor();
    await row('User tokens revoked')
      .filter({ hasText: 'the token token-1' })
      .getByText('API key', { exact: true })
      .waitFor();
    await row('Invitation accepted').filter({ hasText: 'viewer@example.test as Viewer' }).waitFor();
    const link = rotated.getByRole('link', { name: 'API key =Backend' });
    expect(await link.getAttribute('href')).toBe(`/p/${stage.project.id}/settings/api-keys`);
  });

  it('calls what it is about by name, and operators’ test users by what they are', async () => {
    const { id } = stage.project;
    const integration = await stage.call('POST', '/v1/integrations', {
      ...{ projectId: id, serviceProvider: 'hubspot', scopes: ['crm.objects.contacts.read'] },
      ...{ clientId: 'client', clientSecret: 'secret' },
    });
    const target = { projectId: id, url: 'https://app.example.test/secret-path', types: ['*'] };
    const destination = await stage.call('POST', '/v1/event-destinations', target);
    await stage.call('POST', '/v1/user-tokens', { projectId: id });
    await visit(page, address);
    for (const [name, path] of [
      ['Integration HubSpot', `integrations/${integration.id}`],
      ['Event destination app.example.test', `events/destinations/${destination.id}`],
    ] as const) {
      const link = page.getByRole('link', { name, exact: true });
      expect(await link.getAttribute('href')).toBe(`/p/${id}/${path}`);
    }
    await row('User token made by hand').filter({ hasText: 'an operator as test user' }).waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('secret-path');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click();
    const current = page.locator('nav [aria-current="page"]');
    expect(await current.allTextContents()).toEqual(['Activity']);
    await visit(page, `/providers/custom?projectId=${id}`);
    expect(await current.allTextContents()).toEqual(['Integrations']);
    await visit(page, `/p/${id}`);
    await page.getByText('Integration HubSpot').first().waitFor();
    expect(await page.getByText('Connect session opened').count()).toBe(0);
  });

  it('has a name in every language for every action that the log can hold', async () => {
    const actions = Object.keys(PROJECT_ACTIONS);
    expect(actions.length).toBeGreaterThan(30);
    for (const language of ['en', 'de', 'es']) {
      const texts = await dashboardTexts(language, 'activity');
      expect(actions.filter((action) => !Object.hasOwn(texts.actions, action))).toEqual([]);
    }
  });

  it('says in the operator’s language why a sign-in failed, in the list and in its details', async () => {
    await denySignIn();
    const german = await stage.openAs('owner', { locale: 'de-DE' });
    await visit(german, `${address}?action=connect_session.failed`);
    await german.getByText('hubspot: Nutzer lehnen ab').waitFor();
    await german.locator('tbody').getByRole('button', { name: 'Verbinden gescheitert' }).click();
    const drawer = german.getByRole('dialog', { name: 'Verbinden gescheitert' });
    await drawer.getByText('Nutzer lehnen ab').waitFor();
    await drawer.getByText('Erklären Sie').waitFor();
    await german.close();
  });

  it('is narrowed by chips that stand in the address, so that a link shows the same', async () => {
    await visit(page, address);
    await choose('Action', 'API key rotated');
    await chip('Action: API key rotated').waitFor();
    await row('Project changed').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('action')).toBe('api_key.rotated');
    await page.reload();
    await chip('Action: API key rotated').waitFor();
    await row('API key rotated').waitFor();
    expect(await rows().count()).toBe(1);
    await chip('Action: API key rotated').click();
    await choose('Kind of actor', 'API key');
    await row('the token token-1').waitFor();
    await row('Project changed').waitFor({ state: 'detached' });
  });

  it('is narrowed by a member, a span of time and a request', async () => {
    await visit(page, address);
    await choose('Who', 'Viewer Person');
    await row('Project changed').waitFor({ state: 'detached' });
    await row('Invitation accepted').filter({ hasText: 'viewer@example.test' }).waitFor();
    expect(await rows().filter({ hasText: 'admin@example.test' }).count()).toBe(0);
    await visit(page, address);
    await page.getByRole('button', { name: 'Since', exact: true }).click();
    await page.getByRole('button', { name: 'Last hour' }).click();
    await page.getByRole('button', { name: /^Remove filter Since: / }).waitFor();
    await row('Project changed').waitFor();
    await page.getByRole('button', { name: 'Request id', exact: true }).click();
    await page.getByRole('textbox', { name: 'Request id' }).fill('019a0000-0000-7000-8000-000000000000');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByText('Nothing matches these filters.').waitFor();
  });

  it('opens an entry with its details in words, and leads to everything of its request', async () => {
    await visit(page, address);
    await row('API key rotated').getByRole('button', { name: 'API key rotated' }).click();
    const drawer = page.getByRole('dialog', { name: 'API key rotated' });
    await drawer.getByText('Old key went on for').waitFor();
    await drawer.getByText('2 hours').waitFor();
    // As the region of the browser writes it, which is British.
    await drawer.getByText(/^\d{1,2} [A-Z][a-z]+ \d{4}/).waitFor();
    await drawer.getByText('Record as JSON').click();
    await drawer.getByText('"overlapSeconds": 7200').waitFor();
    await drawer.getByRole('link', { name: 'Everything of this request' }).click();
    await page.waitForURL(/requestId=/);
    await row('Project changed').waitFor({ state: 'detached' });
    expect(await rows().count()).toBe(1);
  });

  it.each([
    ['CSV', 'activity.csv'],
    ['JSON lines', 'activity.jsonl'],
  ])('exports as %s what is filtered, and nothing else', async (format, fileName) => {
    await visit(page, `${address}?action=api_key.created`);
    await chip('Action: API key created').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: format }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(fileName);
    const text = readFileSync(await download.path(), 'utf8');
    expect(text).toContain('api_key.created');
    expect(text).not.toContain('api_key.rotated');
    expect(text).toContain('owner@example.test');
  });

  it('is seen by a viewer as by an owner', async () => {
    const viewer = await stage.openAs('viewer');
    await viewer.goto(address);
    await viewer.getByRole('button', { name: 'API key rotated' }).waitFor();
    await viewer.close();
  });

  it('has no serious accessibility fault, in light and dark', async () => {
    await visit(page, `${address}?action=api_key.rotated`);
    await page.getByRole('button', { name: 'API key rotated', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });
});
