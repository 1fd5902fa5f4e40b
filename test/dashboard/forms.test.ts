import type { Locator, Page } from 'playwright-core';
import { visit } from '../support/dashboard.ts';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';

type Case = {
  /** After the address of the project, but for pages of the operator. */
  readonly page: string;
  /** The button that opens the dialog; undefined where the form stands in the page. */
  readonly opens?: string;
  /** By label. */
  readonly fill: Readonly<Record<string, string>>;
  readonly submit: string;
  /** The member that the API refuses, and the label of its field. */
  readonly member: string;
  readonly field: string;
};

const CASES: readonly Case[] = [
  {
    page: '/settings/api-keys',
    opens: 'Create API key',
    fill: { Name: 'backend' },
    submit: 'Create API key',
    member: 'name',
    field: 'Name',
  },
  {
    page: '/settings/members',
    opens: 'Invite',
    fill: { 'E-mail': 'new@example.test' },
    submit: 'Create invitation',
    member: 'email',
    field: 'E-mail',
  },
  {
    page: '/events/destinations',
    opens: 'Create destination',
    fill: { URL: 'https://app.example.test/events' },
    submit: 'Create destination',
    member: 'url',
    field: 'URL',
  },
  { page: '/settings/project', fill: { Name: 'Other name' }, submit: 'Save', member: 'name', field: 'Name' },
  {
    page: '/me',
    opens: 'Create token',
    fill: { Name: 'script', 'Current password': 'long enough, surely' },
    submit: 'Create token',
    member: 'name',
    field: 'Name',
  },
  { page: '/me', fill: { Name: 'Ada' }, submit: 'Save', member: 'name', field: 'Name' },
  {
    page: '/me',
    fill: { 'Current password': 'long enough, surely', 'New password': 'longer than before' },
    submit: 'Change password',
    member: 'password',
    field: 'New password',
  },
  {
    page: '/gateway',
    fill: { 'E-mail': 'new@example.test', 'Your password': 'long enough, surely' },
    submit: 'Appoint owner',
    member: 'email',
    field: 'E-mail',
  },
  {
    page: '/settings/branding',
    fill: { 'Name shown to users': 'Northwind' },
    submit: 'Save',
    member: 'branding.displayName',
    field: 'Name shown to users',
  },
  {
    page: '/settings/revocations',
    opens: 'Revoke user tokens',
    fill: { 'User id': 'user-1' },
    submit: 'Revoke tokens',
    member: 'userId',
    field: 'User id',
  },
  {
    page: '/integrations/{integration}',
    opens: 'Switch off',
    fill: { Reason: 'Moving to another account' },
    submit: 'Switch off',
    member: 'disabled.reason',
    field: 'Reason',
  },
];

const WHOLE = 'Refused as a whole';

let stage: DashboardStage;
let page: Page;
let integrationId: string;
beforeAll(async () => {
  stage = await startDashboardStage();
  page = await stage.openAs('owner');
  const { id } = await stage.call('POST', '/v1/integrations', {
    ...{ projectId: stage.project.id, serviceProvider: 'hubspot', scopes: [] },
    ...{ clientId: 'client', clientSecret: 'secret' },
  });
  integrationId = id;
});
afterEach(() => page.unrouteAll());
afterAll(() => stage?.close());

/** Opens the form and fills it in, as far as it is not yet. */
async function openForm(page: Page, { page: address, opens, fill, submit, field }: Case): Promise<Locator> {
  const ofProject = `/p/${stage.project.id}${address.replace('{integration}', integrationId)}`;
  await visit(page, /^\/(me|gateway)$/.test(address) ? address : ofProject);
  if (opens) await page.getByRole('button', { name: opens, exact: true }).click();
  const button = page.getByRole('button', { name: submit, exact: true });
  const forms = (opens ? page.getByRole('dialog') : page.getByRole('main')).locator('form');
  const form = forms.filter({ has: button }).filter({ has: page.getByLabel(field, { exact: true }) });
  for (const [label, value] of Object.entries(fill)) {
    await form.getByLabel(label, { exact: true }).fill(value);
  }
  return form;
}

/** Submits while the API answers every change with this problem. */
async function submitRefused(page: Page, form: Locator, submit: string, problem: object): Promise<void> {
  await page.route(
    ({ pathname }) => pathname.startsWith('/v1/'),
    (route) =>
      route.request().method() === 'GET'
        ? route.fallback()
        : route.fulfill({
            status: 400,
            contentType: 'application/problem+json',
            body: JSON.stringify({
              status: 400,
              code: 'invalid_request',
              title: WHOLE,
              ...problem,
            }),
          }),
  );
  await form.getByRole('button', { name: submit, exact: true }).click();
}

describe('a form of the dashboard whose change the API refuses', () => {
  it.each(CASES)(
    'shows the refusal of a member beside its field, and one as a whole as a notice: $page $submit',
    async (shown) => {
      const form = await openForm(page, shown);
      const field = form.getByLabel(shown.field, { exact: true });
      const message = 'Of this value the API says no.';
      const errors = [{ path: `body.${shown.member}`, message }];
      await submitRefused(page, form, shown.submit, { errors });
      await page.getByText(message).first().waitFor();
      expect(await page.getByText(message).count()).toBe(1);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await page.getByText(WHOLE).count()).toBe(0);

      await submitRefused(page, form, shown.submit, {});
      await form.getByText(WHOLE).first().waitFor();
      expect(await page.getByText(WHOLE).count()).toBe(1);
      expect(await page.getByText(message).count()).toBe(0);
      expect(await field.getAttribute('aria-invalid')).not.toBe('true');
    },
  );
});
