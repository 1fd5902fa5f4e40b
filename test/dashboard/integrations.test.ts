import type { Browser, BrowserContext, Page } from 'playwright-core';
import { demoCrmProviderFile } from '../../examples/demo-crm/provider-file.ts';
import { type DemoCrm, startDemoCrm } from '../../examples/demo-crm/server.ts';
import { findingsInBothSchemes } from '../support/axe.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { buildDashboard, noteFaults, settled, visit } from '../support/dashboard.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  OPERATOR,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { makePng } from '../support/pictures.ts';
import { findFreePort } from '../support/ports.ts';

const CLIENT = { clientId: 'dashboard-app', clientSecret: 'the secret of the app' };
const DOCUMENTS = ['https://api.example.com/openapi.json', 'https://api.example.com/events.json'] as const;
const VIEWER = { email: 'viewer@example.test', password: 'a long pass phrase to view' };

let crm: DemoCrm;
let gateway: Gateway;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let project: Project;
/** What the browser refused and what a page threw. */
const faults: string[] = [];
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  buildDashboard();
  const port = await findFreePort();
  crm = await startDemoCrm({
    clients: [{ ...CLIENT, name: 'App', redirectUris: [`http://127.0.0.1:${port}/oauth/callback`] }],
  });
  cleanUps.push(crm.close);
  const catalog = await createCatalogDir({ 'demo-crm': demoCrmProviderFile(crm.url) });
  cleanUps.push(catalog.remove);
  [gateway, browser] = await Promise.all([startGateway({ catalogDir: catalog.path, port }), startBrowser()]);
  cleanUps.push(gateway.stop, () => browser.close());
  project = await provision(gateway);
  context = await signedIn(OPERATOR);
  page = await open(context);
});

afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** No test may end with a violation of the Content-Security-Policy or an uncaught error. */
afterEach(() => expect(faults.splice(0)).toEqual([]));

async function signedIn(operator: { email: string; password: string }): Promise<BrowserContext> {
  const made = await openContext(browser, { locale: 'en-GB', baseURL: gateway.url, reducedMotion: 'reduce' });
  const answer = await made.request.post('/v1/sessions', {
    data: operator,
    headers: { origin: gateway.url },
  });
  expect(answer.status()).toBe(201);
  return made;
}

async function open(from: BrowserContext): Promise<Page> {
  const made = await from.newPage();
  noteFaults(made, faults);
  return made;
}

const owned = (method: string, path: string, body?: unknown) =>
  callApiOk(gateway.url, method, path, {
    bearer: project.personalAccessToken,
    ...(body !== undefined && { body }),
  });
const pathOf = (rest: string) => `/p/${project.id}/${rest}`;
const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
const section = (name: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name, level: 2, exact: true }) });

describe('the catalog', () => {
  it('finds providers by what people type: with errors, short forms and other names', async () => {
    await visit(page, pathOf('integrations'));
    await page.getByText('No integrations yet').waitFor();
    await page.getByRole('link', { name: 'Create integration' }).click();
    await heading('New integration').waitFor();
    const search = page.getByRole('searchbox', { name: 'Search providers' });
    const first = page.getByRole('main').getByRole('listitem').getByRole('link').first();
    for (const [typed, name] of [
      ['hubsopt', 'HubSpot'],
      ['gsheets', 'Google Sheets'],
      ['ms teams', 'Microsoft Teams'],
      ['sfdc', 'Salesforce'],
      ['gogle calendar', 'Google Calendar'],
    ] as const) {
      await search.fill(typed);
      await first.filter({ hasText: name }).waitFor();
    }
    await search.fill('qqqzzzxxx');
    await page.getByRole('link', { name: 'Describe a provider' }).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  it('tells of the first that is found, also after another was pointed at, and sets it up by Enter', async () => {
    const search = page.getByRole('searchbox', { name: 'Search providers' });
    const needs = page.getByRole('complementary', { name: 'What it needs' });
    await search.fill('salesforce');
    await needs.getByText('Set up Salesforce').waitFor();
    await page.getByRole('main').getByRole('listitem').getByRole('link').last().focus();
    await search.fill('hubsopt');
    await needs.getByText('Set up HubSpot').waitFor();
    await search.press('Enter');
    await heading('Set up HubSpot').waitFor();
    await page.goBack();
    await heading('New integration').waitFor();
  });

  it('says what a provider needs when the keyboard reaches it, and shows one category at a time', async () => {
    await page.getByRole('searchbox', { name: 'Search providers' }).fill('');
    await page.getByRole('button', { name: 'Payments' }).click();
    await page
      .getByRole('link', { name: /^PayPal/ })
      .first()
      .focus();
    const needs = page.getByRole('complementary', { name: 'What it needs' });
    await needs.getByText('An app at PayPal: its client id and client secret').waitFor();
    expect(await page.getByRole('link', { name: /^HubSpot/ }).count()).toBe(0);
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });
});

describe('setting a provider up', () => {
  it('fills the form from what the provider shows, and says what is missing there', async () => {
    await visit(page, pathOf('integrations/new?provider=gmail'));
    await page.getByText('Paste what the provider shows').click();
    const box = page.getByLabel('JSON, .env lines or text');
    const web = {
      client_id: '4711.apps.example',
      client_secret: 'GOCSPX-1',
      redirect_uris: ['https://old.example/'],
    };
    await box.fill(JSON.stringify({ web }));
    await page.getByText('Filled in: Client id, Client secret').waitFor();
    await page.getByText('does not list the redirect URL').waitFor();
    expect(await page.getByRole('textbox', { name: 'Client id' }).inputValue()).toBe('4711.apps.example');
    expect(await page.getByLabel('Client secret', { exact: true }).inputValue()).toBe('GOCSPX-1');
    // The secret stands in one place only.
    expect(await box.inputValue()).toBe('');
    await box.fill('export GMAIL_CLIENT_ID="other"\nGMAIL_SCOPES=a.read, b.write\n');
    await page.getByText('Filled in: Client id, Scopes').waitFor();
    expect(await page.getByRole('textbox', { name: 'Client id' }).inputValue()).toBe('other');
    await page.getByRole('button', { name: 'b.write', pressed: true }).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  it('says of a provider without a client that each user brings a key, and asks for none', async () => {
    await visit(page, pathOf('integrations/new?provider=sendgrid'));
    await page.getByText('Each user types their own credentials').waitFor();
    expect(await page.getByRole('textbox', { name: 'Client id' }).count()).toBe(0);
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  it('takes what users would be asked for once for all of them, and keeps it when it is edited', async () => {
    await visit(page, pathOf('integrations/new?provider=zendesk'));
    await page.getByText('The same for all users').click();
    await page.getByRole('textbox', { name: 'Subdomain' }).fill('acme');
    await page.getByRole('textbox', { name: 'Client id' }).fill('client-1');
    await page.getByLabel('Client secret', { exact: true }).fill('secret-1');
    await page.getByRole('button', { name: 'Create integration' }).click();
    await page.waitForURL(/integrations\/[0-9a-f-]{36}/);
    const id = new URL(page.url()).pathname.split('/').at(-1);
    // A finding, once the provider was asked, offers one as well.
    await page.getByRole('button', { name: 'Edit', exact: true }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Edit Zendesk Support' });
    expect(await drawer.getByRole('textbox', { name: 'Subdomain' }).inputValue()).toBe('acme');
    // Beside what it was opened from, not over it.
    const box = await drawer.boundingBox();
    expect([box?.height, (box?.width ?? 0) < 800]).toEqual([page.viewportSize()?.height, true]);
    await drawer.getByRole('textbox', { name: 'Client id' }).fill('client-2');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.waitFor({ state: 'detached' });
    expect(await owned('GET', `/v1/integrations/${id}`)).toMatchObject({
      clientId: 'client-2',
      variables: { subdomain: 'acme' },
    });
    await owned('DELETE', `/v1/integrations/${id}`);
  });

  it('gives an integration a name and a logo for end users, and documents for agents', async () => {
    const { id } = await owned('POST', '/v1/integrations', {
      projectId: project.id,
      serviceProvider: 'sendgrid',
      settings: { readingTools: ['look'] },
    });
    await visit(page, pathOf(`integrations/${id}`));
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Edit Twilio SendGrid' });
    await drawer.getByRole('textbox', { name: 'Name for end users' }).fill('Newsletters');
    await drawer.getByText('More settings').click();
    await drawer.getByLabel('Documents that describe the API').fill(DOCUMENTS.join('\n'));
    const file = { name: 'logo.png', mimeType: 'image/png' };
    const field = drawer.getByLabel('Logo for end users');
    await field.setInputFiles({ ...file, buffer: Buffer.alloc(65 * 1024) });
    await drawer.getByText('This picture is larger than 64 KiB.').waitFor();
    await field.setInputFiles({ ...file, buffer: makePng(32, 32, [20, 90, 200]) });
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.waitFor({ state: 'detached' });
    await heading('Newsletters').waitFor();
    const logo = page.getByRole('main').locator('img[src*="/logos/integrations/"]').first();
    expect(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(32);
    // What the form does not show is kept.
    const { settings } = await owned('GET', `/v1/integrations/${id}`);
    expect(settings).toEqual({ openapi: DOCUMENTS, readingTools: ['look'] });
    await page.getByText(DOCUMENTS[1], { exact: true }).waitFor();
    await owned('DELETE', `/v1/integrations/${id}`);
  });

  it.each([
    ['sendgrid', 'judged by what the provider’s file says'],
    ['lemlist', 'judged by methods alone'],
  ])('says of %s that read-only tokens are %s', async (serviceProvider, words) => {
    const { id } = await owned('POST', '/v1/integrations', { projectId: project.id, serviceProvider });
    await visit(page, pathOf(`integrations/${id}`));
    await page.getByText('Read-only tokens').waitFor();
    await page.getByText(words).waitFor();
    await owned('DELETE', `/v1/integrations/${id}`);
  });

  it('asks how to authenticate where a provider has several ways, and then for what that way needs', async () => {
    await visit(page, pathOf('integrations/new?provider=hubspot'));
    const ways = page.getByRole('group', { name: 'How to authenticate' });
    await ways.getByRole('radio', { name: /OAuth 2.0/ }).waitFor();
    expect(await ways.getByRole('radio', { name: /OAuth 2.0/ }).isChecked()).toBe(true);
    await ways.getByText(/other ways?$/i).click();
    await ways.getByText('Private app', { exact: true }).click();
    await page.getByText('No client id and secret').waitFor();
    expect(await ways.getByRole('radio', { name: /Private app/ }).isChecked()).toBe(true);
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create integration' }).click();
    await page.getByText('Authenticates by').waitFor();
    expect(await page.getByText('Private app', { exact: true }).count()).toBe(1);
  });

  it('tests a client before it is saved, creates the integration and connects a test account', async () => {
    await visit(page, pathOf('integrations/new?provider=demo-crm'));
    await page.getByRole('textbox', { name: 'Client id' }).fill(CLIENT.clientId);
    await page.getByLabel('Client secret', { exact: true }).fill('not the secret');
    await page.getByRole('button', { name: 'Test before saving' }).click();
    await page.getByText('Demo CRM refuses the client secret.').waitFor();
    await page.getByLabel('Client secret', { exact: true }).fill(CLIENT.clientSecret);
    await page.getByRole('button', { name: 'Test before saving' }).click();
    await page.getByText('Demo CRM accepts client id and client secret.').waitFor();
    await page.getByRole('button', { name: 'Create integration' }).click();
    await page.getByText('The integration is ready').waitFor();
    const address = page.url();
    const refused = await signInAtCrm();
    // After a plain no the popup closes by itself.
    await Promise.all([refused.waitForEvent('close'), refused.click('#deny')]);
    await section('Sign-ins').getByText('Users say no').waitFor();
    await visit(page, pathOf('integrations'));
    const card = page.getByRole('link', { name: /Demo CRM/ });
    await card.getByText('1 user could not connect').waitFor();
    await card.click();
    await page.waitForURL((url) => address.startsWith(url.href));
    const popup = await signInAtCrm();
    await popup.click('#allow');
    await page.getByText('northwind.test is connected').waitFor();
    await section('Connections').getByRole('cell', { name: 'You (test user)' }).waitFor();
    // What has just worked is not said to have never worked.
    await section('Secrets').getByRole('cell', { name: 'never' }).waitFor({ state: 'detached' });
    expect(await page.getByText('Nothing has worked').count()).toBe(0);
    await section('Connections').getByText('northwind.test').waitFor();
    await section('Scopes').getByText('1 of 1').first().waitFor();
    await section('Sign-ins').getByText('Completed').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });
});

/** The popup in which the operator connects, as far as the CRM's question. */
async function signInAtCrm(): Promise<Page> {
  const popupOpens = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Connect a test account' }).click();
  const popup = await popupOpens;
  await popup.waitForSelector('#sign-in, #allow');
  if (await popup.locator('#sign-in').isVisible()) {
    await popup.fill('#email', 'ada@northwind.test');
    await popup.fill('#password', 'demo');
    await popup.click('#sign-in');
  }
  await popup.waitForSelector('#allow');
  return popup;
}

describe('an integration', () => {
  it('rotates its secret with both accepted, notes its end, and drops the older one', async () => {
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New client secret', { exact: true }).fill('a second secret, wrong');
    await dialog.getByRole('button', { name: 'Save new secret' }).click();
    await section('Secrets').getByText('older, set').waitFor();
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('Only the older client secret works').first().waitFor();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog.getByLabel('New client secret', { exact: true }).fill(CLIENT.clientSecret);
    await dialog.getByLabel('Client secret expires').fill('2031-03-01');
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save new secret' }).click();
    await section('Secrets')
      .getByText(/in \d+ years/)
      .waitFor();
    await page.getByRole('button', { name: 'Drop the older' }).click();
    await dialog.getByRole('button', { name: 'Drop the older' }).click();
    await page.getByText('The older secret is dropped.').waitFor();
    await section('Secrets').getByText('older, set').waitFor({ state: 'detached' });
  });

  it('does not overwrite what another changed meanwhile', async () => {
    const id = page.url().split('/').at(-1)?.split('?')[0];
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    // Its neighbour, which makes the scope optional, has the scope in its name as well.
    const scope = dialog.getByRole('button', { name: /^crm\.schemas\.contacts\.read/ });
    await scope.click();
    await owned('PATCH', `/v1/integrations/${id}`, { optionalScopes: ['crm.objects.contacts.write'] });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Changed by somebody else meanwhile').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    const answer = Promise.withResolvers<void>();
    const path = `**/v1/integrations/${id}`;
    await page.route(path, (route) => answer.promise.then(() => route.continue()), { times: 1 });
    await dialog.getByRole('button', { name: 'Load again' }).click();
    await dialog.locator('form[inert]').waitFor();
    answer.resolve();
    await dialog.locator('form:not([inert])').waitFor();
    expect(await scope.getAttribute('aria-pressed')).toBe('false');
    await scope.click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { scopes, optionalScopes } = await owned('GET', `/v1/integrations/${id}`);
    expect(scopes).toContain('crm.schemas.contacts.read');
    expect(optionalScopes).toEqual(['crm.objects.contacts.write']);
  });

  it('says why a test account could not be connected, and what to do about it', async () => {
    const before = page.url();
    const { id } = await owned('POST', '/v1/integrations', {
      ...{ projectId: project.id, serviceProvider: 'demo-crm', scopes: ['crm.objects.contacts.read'] },
      ...{ clientId: CLIENT.clientId, clientSecret: 'of another app' },
    });
    await visit(page, pathOf(`integrations/${id}`));
    const popup = await signInAtCrm();
    await popup.click('#allow');
    const alert = page.getByRole('alert').filter({ hasText: 'Wrong client secret' });
    await alert.getByText('Copy the client secret of the app at Demo CRM again').waitFor();
    expect(await page.getByText('integration_misconfigured').count()).toBe(0);
    await popup.close();
    await owned('DELETE', `/v1/integrations/${id}?force=true`);
    await visit(page, before);
  });

  it('has findings with the button that does what they say', async () => {
    const { id } = await owned('POST', '/v1/integrations', {
      ...{ projectId: project.id, serviceProvider: 'hubspot', scopes: ['crm.objects.companies.read'] },
      ...{ clientId: 'client', clientSecret: 'secret' },
    });
    await owned('POST', '/v1/polls', { integrationId: id, resource: 'contacts', intervalSeconds: 3600 });
    const before = page.url();
    await visit(page, pathOf(`integrations/${id}`));
    const finding = page.locator('#finding-poll_scope_missing');
    await finding.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Client id' }).waitFor();
    await page.keyboard.press('Escape');
    await owned('DELETE', `/v1/integrations/${id}?force=true`);
    await visit(page, before);
  });

  it('offers a viewer nothing that the API refuses', async () => {
    const address = page.url();
    const { url } = await owned('POST', `/v1/projects/${project.id}/invitations`, {
      email: VIEWER.email,
      role: 'viewer',
    });
    const token = new URL(url).hash.slice(1);
    await callApiOk(gateway.url, 'POST', '/v1/invitations/accept', {
      body: { token, name: 'Viewer', password: VIEWER.password },
    });
    const theirs = await signedIn(VIEWER);
    const view = await open(theirs);
    const refused: string[] = [];
    view.on('response', (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
    });
    await settled(view, () => visit(view, address));
    await view.getByRole('heading', { name: 'Diagnosis' }).waitFor();
    await view.getByText('northwind.test').first().waitFor();
    for (const name of [
      'Edit',
      'Delete',
      'Check again',
      'Rotate secret',
      'Note expiry',
      'Connect a test account',
    ])
      expect({ name, count: await view.getByRole('button', { name, exact: true }).count() }).toEqual({
        name,
        count: 0,
      });
    expect(await findingsInBothSchemes(view)).toEqual([]);
    await visit(view, pathOf('integrations'));
    await view.getByRole('link', { name: /Demo CRM/ }).waitFor();
    expect(await view.getByRole('link', { name: 'Create integration' }).count()).toBe(0);
    await visit(view, pathOf('integrations/new?provider=hubspot'));
    await view.getByText('Only owners and admins').waitFor();
    expect(await view.getByRole('textbox', { name: 'Client id' }).count()).toBe(0);
    expect(refused).toEqual([]);
    await theirs.close();
  });

  it('has the same state in the list and on its page, whatever the project’s other findings are', async () => {
    const refused = await callApi(gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: project.apiKey,
      body: { provider: 'demo-crm', userId: 'ada', returnUrl: 'https://nowhere.example/back' },
    });
    expect(refused.status).toBe(400);
    await visit(page, pathOf('integrations'));
    const card = page.getByRole('link', { name: /Demo CRM/ });
    await card.getByText('Works').waitFor();
    await card.click();
    await page.locator('#finding-return_url_not_registered').waitFor();
    await page.getByText('Works', { exact: true }).waitFor();
    expect(await page.getByText('Return URL not registered').count()).toBe(1);
  });

  it('stands in the list with its state, and is deleted after the page has said what breaks', async () => {
    await visit(page, pathOf('integrations'));
    const card = page.getByRole('link', { name: /Demo CRM/ });
    await card.getByText('1 connection').waitFor();
    await card.getByText('Works').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await card.click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 connections of 1 users stop working').waitFor();
    const confirm = dialog.getByRole('button', { name: 'Delete integration' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Type Demo CRM to confirm').fill('Demo CRM');
    await confirm.click();
    await page.getByRole('link', { name: 'Create integration' }).waitFor();
    await page.getByRole('link', { name: /Demo CRM/ }).waitFor({ state: 'detached' });
  });
});

describe('a custom provider', () => {
  it('shows every request while it is described, faults beside their fields, and becomes a provider', async () => {
    await visit(page, `/providers/custom?projectId=${project.id}`);
    await page.getByRole('link', { name: 'Describe a provider' }).click();
    await heading('New custom provider').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Acme CRM');
    expect(await page.getByLabel('Id', { exact: true }).inputValue()).toBe('acme-crm');
    await page.getByLabel('API base URL').fill('not an address');
    await page.getByLabel('Authorization URL').fill('https://crm.acme.example/authorize');
    await page.getByLabel('Token URL').fill('https://crm.acme.example/token');
    const dryRun = section('Dry run');
    await dryRun.getByText(/fault/).waitFor();
    await page.getByLabel('Further fields').fill('{ "apiHeaders": }');
    await dryRun.getByText('Further fields: Not a JSON object').waitFor();
    await page.getByLabel('Further fields').fill('');
    await dryRun.getByText(/fault/).waitFor();
    await page
      .locator('#main')
      .getByText(/apiBaseUrl/)
      .waitFor();
    expect(await page.getByLabel('API base URL').getAttribute('aria-invalid')).toBe('true');
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByLabel('API base URL').fill('https://crm.acme.example/api');
    await dryRun.getByText('https://crm.acme.example/api/example').waitFor();
    await page.getByLabel('Further fields').fill('{ "apiHeaders": { "X-Version": "7" } }');
    await dryRun.getByText('X-Version').waitFor();
    await page.getByRole('button', { name: 'Create provider' }).click();
    await heading('Acme CRM').waitFor();
    // More than one may be shown.
    await page.getByText('Saved').first().waitFor({ state: 'detached' });
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  it('is changed, used and deleted', async () => {
    await page.getByLabel('Further fields').fill('');
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await page.getByRole('button', { name: 'Save provider' }).click();
    expect((await saved).status()).toBe(200);
    const { definition } = await owned('GET', '/v1/providers/custom:acme-crm');
    expect(definition).not.toHaveProperty('apiHeaders');
    await page.getByRole('link', { name: 'Create integration' }).click();
    await page.getByText('is known once it is created').waitFor();
    await visit(page, `/providers/custom?projectId=${project.id}`);
    await page.getByRole('link', { name: 'Acme CRM' }).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'Acme CRM' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete provider' }).click();
    await page.getByText('No custom providers in this project').waitFor();
  });

  it('can be an MCP server by its address alone, which is asked what it needs', async () => {
    await visit(page, `/providers/custom/new?projectId=${project.id}`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Vendor tools');
    await page.getByRole('combobox', { name: 'Authorization' }).click();
    await page.getByRole('option', { name: 'MCP server' }).click();
    await page.getByRole('textbox', { name: 'Server URL' }).fill(`${crm.url}/no-mcp`);
    await page.getByText('No authorization server found').waitFor();
    await page.getByRole('button', { name: 'Create provider' }).click();
    await heading('Vendor tools').waitFor();
    await page.getByRole('textbox', { name: 'Server URL' }).waitFor();
    const path = `/v1/providers/custom:vendor-tools?projectId=${project.id}`;
    expect((await owned('GET', path)).definition).toMatchObject({ mcp: { url: `${crm.url}/no-mcp` } });
    await owned('DELETE', path);
  });
});
