import { generateKeyPairSync } from 'node:crypto';
import type { Page } from 'playwright-core';
import { findingsInBothSchemes } from '../support/axe.ts';
import { visit } from '../support/dashboard.ts';
import { callApiOk, OPERATOR } from '../support/gateway.ts';
import { authorize, connectAccount } from '../support/stage.ts';
import { allowInWindow, type DashboardStage, startDashboardStage } from './dashboard-stage.ts';

let stage: DashboardStage;
let page: Page;
let base: string;

beforeAll(async () => {
  stage = await startDashboardStage();
  page = stage.page;
  base = `/p/${stage.project.id}`;
});
afterAll(() => stage?.close());
afterEach(() => expect(stage?.takeFaults()).toEqual([]));

const api = (method: string, path: string, body?: unknown) =>
  callApiOk(stage.gateway.url, method, path, { bearer: stage.project.personalAccessToken, body });

const connectionOf = async (userId: string) =>
  (await api('GET', `/v1/projects/${stage.project.id}/connections?userId=${userId}`)).connections[0];

const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

describe('the pages of connections', () => {
  it('explain what a connection is while there is none, and connect a test account in a window', async () => {
    await visit(page, `${base}/connections`);
    await page.getByRole('heading', { name: 'No connections yet' }).waitFor();
    const opening = page.waitForEvent('popup');
    await page.getByRole('main').getByRole('button', { name: 'Connect a test account' }).last().click();
    const popup = await opening;
    const closed = popup.waitForEvent('close');
    await allowInWindow(popup);
    await closed;
    await heading('northwind.test');
    await page.getByText('You (test user)').waitFor();
    await page.getByText('Connected', { exact: true }).last().waitFor();
    // The timeline names people as the activity does.
    await page.getByText(`by ${OPERATOR.email} from 127.0.0.1`).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  it('say why no account was connected', async () => {
    await visit(page, `${base}/connections`);
    const opening = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Connect a test account' }).click();
    const popup = await opening;
    await popup.click('#deny');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Access was not granted at the provider.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await popup.close();
  });

  it('ask for what an application would say, on the page of an integration as in the list', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const integration = await api('POST', '/v1/integrations', {
      projectId: stage.project.id,
      serviceProvider: 'docusign-sandbox',
      grant: 'jwt-grant',
      variables: {
        integrationKey: '1a2b3c4d-0000-4000-8000-123456789abc',
        privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      },
    });
    await visit(page, `${base}/integrations/${integration.id}`);
    await page.getByRole('button', { name: 'Connect a test account' }).click();
    const dialog = page.getByRole('dialog', { name: 'For whom does the key act?' });
    await dialog.getByText(/^The API user name/).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await dialog.getByLabel('userId').fill('1a2b3c4d-0000-4000-8000-123456789abc');
    const opening = page.waitForEvent('popup');
    const asking = page.waitForRequest((request) => request.url().endsWith('/v1/connect-sessions'));
    await dialog.getByRole('button', { name: 'Go on' }).click();
    expect((await asking).postDataJSON()).toMatchObject({
      integrationId: integration.id,
      variables: { userId: '1a2b3c4d-0000-4000-8000-123456789abc' },
    });
    await dialog.waitFor({ state: 'detached' });
    await (await opening).close();
    await api('DELETE', `/v1/integrations/${integration.id}`);
  });

  it('offer a link where the browser blocks the window, and go on when the account is connected there', async () => {
    await visit(page, `${base}/connections`);
    await page.evaluate(() => {
      window.open = () => null;
    });
    await page.getByRole('button', { name: 'Connect a test account' }).click();
    const opening = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Open the connect page' }).click();
    await allowInWindow(await opening);
    await heading('northwind.test');
  });

  it('find connections by user, account and state, and keep that in the address', async () => {
    await connectAccount(stage, { userId: 'mia@example.test' });
    await connectAccount(stage, { userId: 'noor', email: 'carol@contoso.test' });
    await visit(page, `${base}/connections`);
    await page.getByRole('searchbox').fill('noor');
    await page.waitForURL(/search=noor/);
    const rows = page.getByRole('table', { name: 'Connections' }).getByRole('row');
    await expectCount(rows, 2);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'State' }).click();
    await page.getByRole('menuitem', { name: 'User must connect again' }).click();
    await page.getByText('Nothing matches these filters.').waitFor();
    expect(page.url()).toContain('status=reauthorization_required');
    await page.getByRole('button', { name: 'Remove filter State: User must connect again' }).click();
    await expectCount(rows, 4);
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  it('say that a user removed the app, and make a link on which the user connects again', async () => {
    const { id } = await connectionOf('noor');
    stage.crm.revokeGrants();
    await visit(page, `${base}/connections/${id}`);
    await page.getByRole('button', { name: 'Test this connection' }).click();
    await page.getByText('User must connect again').first().waitFor();
    await page.getByRole('button', { name: 'Ask to connect again' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = await dialog.getByRole('region', { name: 'Link to connect again' }).innerText();
    expect(await findingsInBothSchemes(page)).toEqual([]);

    await authorize(stage, link.trim(), { email: 'carol@contoso.test' });
    expect(await connectionOf('noor')).toMatchObject({ id, status: 'active' });
    await page.reload();
    await page.getByText('Connected again').last().waitFor();
  });

  it('show the credentials’ health and never a value', async () => {
    const { id } = await connectionOf('noor');
    await visit(page, `${base}/connections/${id}`);
    await page.getByText('OAuth 2.0, on behalf of the user').waitFor();
    await page.getByText('crm.objects.contacts.read').waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/access_token|refresh_token/);
    await page.getByText('about then, if it is used').waitFor();
  });

  it('say of a refresh that is due that it comes with the next use, not when it would have been', async () => {
    const { id } = await connectionOf('noor');
    const later = await page.context().newPage();
    await later.clock.setFixedTime(Date.now() + 86_400_000);
    await visit(later, `${base}/connections/${id}`);
    await later.getByText('when it is used next').waitFor();
    expect(await later.getByText('about then, if it is used').count()).toBe(0);
    await later.close();
  });

  it('save metadata as what changed', async () => {
    const { id } = await connectionOf('noor');
    await api('PATCH', `/v1/connections/${id}`, { customMetadata: { plan: 'pro', seats: 3 } });
    await visit(page, `${base}/connections/${id}`);
    const field = page.getByRole('textbox', { name: 'Metadata as JSON' });
    await field.fill('[1]');
    await page.getByText('This is not a JSON object.').waitFor();
    await field.fill('{ "plan": "team", "region": "eu" }');
    // Another change meanwhile, of a member that this operator did not touch.
    await api('PATCH', `/v1/connections/${id}`, { customMetadata: { addedMeanwhile: true } });
    await page.getByRole('button', { name: 'Save metadata' }).click();
    await page.getByText('Metadata saved').waitFor();
    const { customMetadata } = await connectionOf('noor');
    expect(customMetadata).toEqual({ plan: 'team', region: 'eu', addedMeanwhile: true });
  });

  it('show a viewer everything and no button that the API refuses', async () => {
    const { id } = await connectionOf('noor');
    const viewer = await stage.openAsViewer();
    await viewer.goto(`${base}/connections/${id}`);
    await viewer.getByText('OAuth 2.0, on behalf of the user').waitFor();
    await viewer.getByRole('heading', { name: 'Metadata' }).waitFor();
    for (const name of ['Test this connection', 'Ask to connect again', 'Save metadata', 'Actions'])
      expect(await viewer.getByRole('button', { name }).count()).toBe(0);
    await viewer.context().close();
  });

  it('say what deleting does before it is done', async () => {
    const { id } = await connectionOf('noor');
    // What the dialog says of the provider waits for the provider.
    const known = Promise.withResolvers<void>();
    const path = '**/v1/providers/demo-crm?*';
    await page.route(path, (route) => known.promise.then(() => route.continue()), { times: 1 });
    await visit(page, `${base}/connections/${id}`);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete connection' }).click();
    known.resolve();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its tokens are erased here and revoked at Demo CRM.').waitFor();
    await dialog.getByRole('button', { name: 'Delete connection' }).click();
    await heading('Connections');
    expect(await connectionOf('noor')).toBeUndefined();
  });

  it('offer nothing of a connection that another operator deleted', async () => {
    await connectAccount(stage, { userId: 'gone' });
    const { id } = await connectionOf('gone');
    await visit(page, `${base}/connections/${id}`);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete connection' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete connection' });
    await confirm.waitFor();
    await api('DELETE', `/v1/connections/${id}`);
    await confirm.click();
    await heading('There is nothing here');
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  });

  it('are counted on the page of an integration as in the list, also when there are more than it looks at', async () => {
    await connectAccount(stage, { userId: 'counted' });
    const { integrationId } = await connectionOf('counted');
    const { integrations } = await api(
      'GET',
      `/v1/integrations?projectId=${stage.project.id}&include=numbers&limit=100`,
    );
    const { numbers } = integrations.find((one: { id: string }) => one.id === integrationId);
    await page.route('**/connections?integrationId=*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), nextCursor: 'more' } });
    });
    await visit(page, `${base}/integrations/${integrationId}`);
    await page.getByRole('link', { name: `All ${numbers.connections}`, exact: true }).waitFor();
    await page.unrouteAll();
  });

  it('are beside destinations on Home that are told apart by their paths', async () => {
    const host = 'https://app.example.test';
    await page.route('**/overview', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const destinations = ['first', 'second'].map((id) => ({ id, url: `${host}/${id}`, state: 'failing' }));
      await route.fulfill({ response, json: { ...json, destinations } });
    });
    await visit(page, base);
    for (const id of ['first', 'second'])
      await page.getByRole('link', { name: `app.example.test/${id}` }).waitFor();
    await page.unrouteAll();
  });
});

async function expectCount(rows: ReturnType<Page['getByRole']>, count: number): Promise<void> {
  await rows.nth(count - 1).waitFor();
  await rows.nth(count).waitFor({ state: 'detached' });
}
