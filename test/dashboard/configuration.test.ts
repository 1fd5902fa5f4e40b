import type { Page } from 'playwright-core';
import { createApi } from '../configuration/configuration-stage.ts';
import { findingsInBothSchemes } from '../support/axe.ts';
import { visit } from '../support/dashboard.ts';
import { type DashboardStage, startDashboardStage } from './dashboard-stage.ts';

const MANDATE = {
  name: 'Reading contacts',
  entries: [{ type: 'gateway_access', provider: 'hubspot', access: 'read' }],
};

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

it('an object that a file manages says so, and what was changed of it by hand', async () => {
  const api = createApi(stage.gateway.url, stage.project);
  await visit(page, `${base}/settings/configuration`);
  await page.getByText('No file was applied yet').waitFor();
  expect((await api.apply({ mandates: [MANDATE] })).status).toBe(200);
  const [{ id }] = (await api.get(`/v1/projects/${stage.project.id}/mandates`)).body.mandates;
  await visit(page, `${base}/mandates/${id}`);
  await page.getByText('Managed by file, as “Reading contacts”').waitFor();
  await page.getByText('A change made here is drift').waitFor();
  await api.send('PATCH', `/v1/projects/${stage.project.id}/mandates/${id}`, { state: 'frozen' });
  await visit(page, `${base}/mandates/${id}`);
  await page.getByText('Changed by hand since the file was applied: state.').waitFor();
  await page.getByRole('link', { name: 'Configuration' }).click();
  const row = page.getByRole('row', { name: 'Reading contacts' });
  await row.getByText('Drifted').waitFor();
  await row.getByText('state', { exact: true }).waitFor();
  await page.getByText('Made by hand, and in no file:').waitFor();
  await page.getByRole('definition').filter({ hasText: 'demo-crm' }).waitFor();
  expect(await findingsInBothSchemes(page)).toEqual([]);
});
