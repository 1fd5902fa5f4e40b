import type { Page } from 'playwright-core';
import { visit } from '../support/dashboard.ts';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';
import { until } from '../support/until.ts';

type Case = {
  readonly form: string;
  /** After the address of the project, but for the operator's own page. */
  readonly page: string;
  /** The thing that the form is about, in the API. */
  readonly thing: () => string;
  readonly open?: (page: Page) => Promise<void>;
  /** By label, what the one operator types. */
  readonly field: string;
  readonly typed: string;
  readonly submit: string;
  /** What another operator changes by the API while the form is open, and what both together give. */
  readonly meanwhile: object;
  readonly both: object;
  /** What another operator makes of the same field afterwards, as the API and as the field has it. */
  readonly same: object;
  readonly sameShown: string;
};

let stage: DashboardStage;
let page: Page;
const ids = { destination: '', key: '' };

beforeAll(async () => {
  stage = await startDashboardStage();
  page = await stage.openAs('owner');
  page.setDefaultTimeout(15_000);
  const { id: projectId } = stage.project;
  const url = 'https://app.example.test/events';
  ids.destination = (await stage.call('POST', '/v1/event-destinations', { projectId, url, types: ['*'] })).id;
  const key = { name: 'Worker', scopes: ['polls'] };
  ids.key = (await stage.call('POST', `/v1/projects/${projectId}/api-keys`, key)).id;
});
afterAll(() => stage?.close());

const ofProject = () => `/v1/projects/${stage.project.id}`;
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const openDestination = async () => {
  await press('Actions');
  await page.getByRole('menuitem', { name: 'Edit' }).click();
};
const openKey = async () => {
  await press('Actions of Worker');
  await page.getByRole('menuitem', { name: 'Change' }).click();
};

const CASES: readonly Case[] = [
  {
    form: 'name and limits',
    page: '/settings/project',
    thing: ofProject,
    ...{ field: 'Name', typed: 'Northwind', submit: 'Save' },
    meanwhile: { limits: { proxyCallsPerMinute: 700, organizationCallsPerDay: 9_000 } },
    both: { name: 'Northwind', limits: { proxyCallsPerMinute: 700, organizationCallsPerDay: 9_000 } },
    ...{ same: { name: 'Southwind' }, sameShown: 'Southwind' },
  },
  {
    form: 'rights of agents',
    page: '/settings/project',
    thing: ofProject,
    ...{ field: 'Page for approvals', typed: 'https://app.example.test/approve', submit: 'Save rights' },
    meanwhile: { requireMandate: true },
    both: { requireMandate: true, approvalPage: 'https://app.example.test/approve' },
    same: { approvalPage: 'https://app.example.test/other' },
    sameShown: 'https://app.example.test/other',
  },
  {
    form: 'branding',
    page: '/settings/branding',
    thing: ofProject,
    ...{ field: 'Name shown to users', typed: 'North', submit: 'Save' },
    meanwhile: { branding: { color: '#123456' } },
    both: { branding: { displayName: 'North', color: '#123456' } },
    ...{ same: { branding: { displayName: 'South' } }, sameShown: 'South' },
  },
  {
    form: 'destination',
    page: '/events/destinations/{destination}',
    thing: () => `/v1/event-destinations/${ids.destination}`,
    open: openDestination,
    ...{ field: 'URL', typed: 'https://app.example.test/new', submit: 'Save' },
    meanwhile: { types: ['connection.*'], description: 'Of the warehouse' },
    both: { url: 'https://app.example.test/new', types: ['connection.*'], description: 'Of the warehouse' },
    ...{ same: { url: 'https://app.example.test/3' }, sameShown: 'https://app.example.test/3' },
  },
  {
    form: 'API key',
    page: '/settings/api-keys',
    thing: () => `${ofProject()}/api-keys/${ids.key}`,
    open: openKey,
    ...{ field: 'Allowed addresses', typed: '192.0.2.0/24', submit: 'Save' },
    meanwhile: { scopes: ['connect', 'polls'] },
    both: { scopes: ['connect', 'polls'], allowedAddresses: ['192.0.2.0/24'] },
    ...{ same: { allowedAddresses: ['198.51.100.0/24'] }, sameShown: '198.51.100.0/24' },
  },
  {
    form: 'own account',
    page: '/me',
    thing: () => '/v1/operators/me',
    ...{ field: 'Name', typed: 'Ada', submit: 'Save' },
    ...{ meanwhile: { language: 'en' }, both: { name: 'Ada', language: 'en' } },
    ...{ same: { name: 'Grace' }, sameShown: 'Grace' },
  },
];

/** Opens the form, has another operator change the thing, and saves what is typed. */
async function editMeanwhile({ field, submit, ...edit }: Case, typed: string, meanwhile: object) {
  const address = edit.page.replace('{destination}', ids.destination);
  await visit(page, address === '/me' ? address : `/p/${stage.project.id}${address}`);
  await edit.open?.(page);
  const button = page.getByRole('button', { name: submit, exact: true });
  const shown = page
    .locator('form')
    .filter({ has: button })
    .filter({ has: page.getByLabel(field, { exact: true }) });
  const input = shown.getByLabel(field, { exact: true });
  await input.fill(typed);
  await stage.call('PATCH', edit.thing(), meanwhile);
  await shown.getByRole('button', { name: submit, exact: true }).click();
  return { shown, input };
}

describe('two operators who change one thing at the same time', () => {
  it.each(CASES)('both keep their changes of different fields: $form', async (edit) => {
    const changed = page.waitForResponse((answer) => answer.request().method() === 'PATCH', { timeout: 0 });
    await editMeanwhile(edit, edit.typed, edit.meanwhile);
    expect((await changed).status()).toBe(200);
    expect(await stage.call('GET', edit.thing())).toMatchObject(edit.both);
  });

  it.each(CASES)('learn of a change of the same field, and may load it: $form', async (edit) => {
    const { shown, input } = await editMeanwhile(edit, `${edit.typed}2`, edit.same);
    await shown.getByText('Changed by somebody else meanwhile').waitFor();
    expect(await stage.call('GET', edit.thing())).toMatchObject(edit.same);
    await shown.getByRole('button', { name: 'Load again' }).click();
    await until(async () => (await input.inputValue()) === edit.sameShown);
  });
});
