import type { Page } from 'playwright-core';
import { findingsInBothSchemes } from '../support/axe.ts';
import { visit } from '../support/dashboard.ts';
import { callApiOk } from '../support/gateway.ts';
import { type DashboardStage, startDashboardStage } from './dashboard-stage.ts';

let stage: DashboardStage;
let page: Page;
let viewer: Page;
let base: string;

beforeAll(async () => {
  stage = await startDashboardStage();
  page = stage.page;
  viewer = await stage.openAsViewer();
  base = `/p/${stage.project.id}`;
});
afterAll(() => stage?.close());
afterEach(() => expect(stage?.takeFaults()).toEqual([]));

const call = (method: string, path: string, body?: unknown) =>
  callApiOk(stage.gateway.url, method, path, { bearer: stage.project.apiKey, body });
const row = (text: string, where: Page = page) => where.getByRole('row').filter({ hasText: text });
const dialog = () => page.getByRole('dialog');
const button = (name: string) => page.getByRole('button', { name, exact: true });
const integrationPage = () => `${base}/integrations/${stage.integration.id}`;
const readClients = async (): Promise<{ organizationId: string; clientId: string }[]> =>
  (await call('GET', `/v1/integrations/${stage.integration.id}/clients`)).clients;
const readProject = () => call('GET', `/v1/projects/${stage.project.id}`);

describe('clients of organizations', () => {
  it('are added with the redirect URL to register, replaced and removed', async () => {
    await visit(page, integrationPage());
    await page.getByText('Every organization uses the client of the integration.').waitFor();
    await button('Add client').click();
    await dialog().getByText(stage.integration.redirectUrl).waitFor();
    await dialog().getByRole('textbox', { name: 'Organization' }).fill(' acme ');
    await dialog().getByLabel('Client id').fill('client-of-acme');
    expect(await dialog().getByRole('button', { name: 'Save client' }).isDisabled()).toBe(true);
    await dialog().getByLabel('Client secret').fill('secret-of-acme');
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Save client' }).click();
    await row('client-of-acme').waitFor();

    await row('acme').getByRole('button', { name: 'Replace' }).click();
    await dialog().getByRole('heading', { name: 'Client of acme' }).waitFor();
    await dialog().getByLabel('Client id').fill('second-client-of-acme');
    await dialog().getByLabel('Client secret').fill('second-secret-of-acme');
    await dialog().getByRole('button', { name: 'Save client' }).click();
    await row('second-client-of-acme').waitFor();
    expect((await readClients()).map(({ clientId }) => clientId)).toEqual(['second-client-of-acme']);

    await row('acme').getByRole('button', { name: 'Remove' }).click();
    await dialog().getByText('go on with the client that made them').waitFor();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Every organization uses the client of the integration.').waitFor();
    expect(await readClients()).toEqual([]);
  });

  it('say beside the field that an organization has one already', async () => {
    const body = { organizationId: 'globex', clientId: 'client-of-globex', clientSecret: 'secret-of-globex' };
    await call('POST', `/v1/integrations/${stage.integration.id}/clients`, body);
    await visit(page, integrationPage());
    await row('globex').waitFor();
    await button('Add client').click();
    await dialog().getByRole('textbox', { name: 'Organization' }).fill('globex');
    await dialog().getByLabel('Client id').fill('other');
    await dialog().getByLabel('Client secret').fill('other-secret');
    await dialog().getByRole('button', { name: 'Save client' }).click();
    await dialog().getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
  });

  it('have their buttons within a phone, and none for those who may only look', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await visit(page, integrationPage());
    const replace = row('globex').getByRole('button', { name: 'Replace' });
    await replace.waitFor();
    const box = await replace.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 390)).toBeLessThan(390 - 16);
    await page.setViewportSize({ width: 1280, height: 720 });
    await visit(viewer, integrationPage());
    await row('globex', viewer).waitFor();
    expect(await row('globex', viewer).getByRole('button').count()).toBe(0);
  });
});

describe('quotas of organizations', () => {
  const settings = (section: string) => `${base}/settings/${section}`;

  it('are kept when the name of the project is changed', async () => {
    await call('PATCH', `/v1/projects/${stage.project.id}`, { limits: { organizationCallsPerDay: 50_000 } });
    await visit(page, settings('project'));
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    // A notice of what was saved before may still be shown.
    const answered = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await button('Save').click();
    expect((await answered).status()).toBe(200);
    expect(await readProject()).toMatchObject({
      name: 'Renamed',
      limits: { organizationCallsPerDay: 50_000 },
    });
  });

  it('are given to one organization in the place of the project’s, and taken away', async () => {
    await visit(page, settings('organizations'));
    await row('globex').getByText('50,000').waitFor();
    await row('globex').getByText('of the project').waitFor();
    await row('globex').getByRole('button', { name: 'Set quota' }).click();
    await dialog().getByLabel('Calls a day').fill('a lot');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByText('A whole number from 1 to 1,000,000,000, or nothing').waitFor();
    await dialog().getByLabel('Calls a day').fill('200000');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await row('globex').getByText('its own').waitFor();
    await row('globex').getByText('200,000').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);

    await row('globex').getByRole('button', { name: 'Set quota' }).click();
    await dialog().getByLabel('Calls a day').fill('');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await row('globex').getByText('of the project').waitFor();
    await visit(page, `${base}/activity`);
    await page.getByRole('link', { name: 'Organization globex' }).first().waitFor();
  });

  it('show without buttons to those who may only look', async () => {
    await visit(viewer, settings('organizations'));
    await row('globex', viewer).getByText('50,000').waitFor();
    expect(await row('globex', viewer).getByRole('button').count()).toBe(0);
  });
});
