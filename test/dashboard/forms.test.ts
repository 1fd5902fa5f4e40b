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
];

let stage: DashboardStage;
beforeAll(async () => {
  stage = await startDashboardStage();
});
afterAll(() => stage?.close());

/** Opens the form and fills it in, as far as it is not yet. */
async function openForm(page: Page, { page: address, opens, fill }: Case): Promise<Locator> {
  await visit(page, address.startsWith('/me') ? address : `/p/${stage.project.id}${address}`);
  if (opens) await page.getByRole('button', { name: opens, exact: true }).click();
  const form = (opens ? page.getByRole('dialog') : page.getByRole('main')).locator('form').first();
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
              title: 'Refused as a whole',
              ...problem,
            }),
          }),
  );
  await form.getByRole('button', { name: submit, exact: true }).click();
}

describe('a form of the dashboard whose change the API refuses', () => {
  it.each(CASES)('shows the refusal of a member beside its field, and only there: $page', async (shown) => {
    const page = await stage.openAs('owner');
    const form = await openForm(page, shown);
    const message = 'Of this value the API says no.';
    const errors = [{ path: `body.${shown.member}`, message }];
    await submitRefused(page, form, shown.submit, { errors });
    const field = form.getByLabel(shown.field, { exact: true });
    await page.getByText(message).first().waitFor();
    expect(await page.getByText(message).count()).toBe(1);
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByText('Refused as a whole').count()).toBe(0);
    await page.close();
  });

  it.each(CASES)('shows a refusal as a whole once, as a notice: $page', async (shown) => {
    const page = await stage.openAs('owner');
    const form = await openForm(page, shown);
    await submitRefused(page, form, shown.submit, {});
    await form.getByText('Refused as a whole').first().waitFor();
    expect(await page.getByText('Refused as a whole').count()).toBe(1);
    expect(await form.getByLabel(shown.field, { exact: true }).getAttribute('aria-invalid')).not.toBe('true');
    await page.close();
  });
});
