import type { Locator, Page } from 'playwright-core';

/** Something that an operator gets done by a form of the dashboard. */
export type Task = {
  readonly name: string;
  /** After the address of the project. */
  readonly page: string;
  /** What leads to the form, one click after another. */
  readonly opens: readonly string[];
  /** By label. */
  readonly fill: Readonly<Record<string, string>>;
  readonly submit: string;
  readonly method: 'POST' | 'PATCH';
  /** The operation's path after `/v1`. */
  readonly path: RegExp;
  /** What the page shows when it is done. */
  readonly done: (page: Page) => Locator;
};

const dialogIsGone = (page: Page) => page.locator('body:not(:has([role=dialog]))');
const saved = (page: Page) => page.getByRole('alert').getByText('Saved');

export const TASKS: readonly Task[] = [
  {
    name: 'an integration',
    page: '/integrations/new?provider=github',
    opens: [],
    fill: { 'Client id': 'github-client', 'Client secret': 'github-secret' },
    submit: 'Create integration',
    method: 'POST',
    path: /^\/integrations$/,
    done: (page) => page.getByRole('button', { name: 'Edit', exact: true }),
  },
  {
    name: 'an API key',
    page: '/settings/api-keys',
    opens: ['Create API key'],
    fill: { Name: 'backend' },
    submit: 'Create API key',
    method: 'POST',
    path: /\/api-keys$/,
    done: (page) => page.getByRole('button', { name: 'I have stored it' }),
  },
  {
    name: 'a destination',
    page: '/events/destinations',
    opens: ['Create destination'],
    fill: { URL: 'https://app.example.test/events' },
    submit: 'Create destination',
    method: 'POST',
    path: /^\/event-destinations$/,
    done: (page) => page.getByRole('button', { name: 'I have stored it' }),
  },
  {
    name: 'a poll',
    page: '/events/polls',
    opens: ['Create poll'],
    fill: {},
    submit: 'Create poll',
    method: 'POST',
    path: /^\/polls$/,
    done: dialogIsGone,
  },
  {
    name: 'a project',
    page: '/settings/project',
    opens: ['Switch project', 'New project'],
    fill: { Name: 'Another project' },
    submit: 'Create project',
    method: 'POST',
    path: /^\/projects$/,
    done: (page) => page.getByRole('heading', { name: 'Home', level: 1 }),
  },
  {
    name: 'an invitation',
    page: '/settings/members',
    opens: ['Invite'],
    fill: { 'E-mail': 'new@example.test' },
    submit: 'Create invitation',
    method: 'POST',
    path: /\/invitations$/,
    done: dialogIsGone,
  },
  {
    name: 'a signing key',
    page: '/settings/signing-keys',
    opens: ['Add signing key', 'The gateway signs tokens for my backend', 'Continue'],
    fill: {},
    submit: 'Add signing key',
    method: 'POST',
    path: /\/signing-keys$/,
    done: dialogIsGone,
  },
  {
    name: 'the branding',
    page: '/settings/branding',
    opens: [],
    fill: { 'Name shown to users': 'Northwind' },
    submit: 'Save',
    method: 'PATCH',
    path: /^\/projects\/[^/]+$/,
    done: saved,
  },
  {
    name: 'another client id of an integration',
    page: '/integrations/:integrationId',
    opens: ['Edit'],
    fill: { 'Client id': 'another-client' },
    submit: 'Save',
    method: 'PATCH',
    path: /^\/integrations\/[^/]+$/,
    done: dialogIsGone,
  },
];

export const navigation = (page: Page) => page.locator('nav').first();

/** To another page as by a link of the frame, without loading the document. */
export const go = (page: Page, address: string) =>
  page.evaluate(`void __TSR_ROUTER__.navigate({ href: ${JSON.stringify(address)} })`);

/** What leads to a form, by its name. */
export function opener(page: Page, name: string): Locator {
  if (name === 'Switch project') return navigation(page).getByRole('button', { name: /^Switch project/ });
  const exact = { name, exact: true };
  const choice = page.getByRole('dialog').getByText(name, { exact: true });
  return page.getByRole('button', exact).or(page.getByRole('menuitem', exact)).or(choice).last();
}

/** The form of the task, in its dialog where it has one. */
export function locateForm(page: Page, { opens }: Task): Locator {
  return (opens.length > 0 ? page.getByRole('dialog') : page.getByRole('main')).locator('form').first();
}

export const locateSubmit = (page: Page, task: Task) =>
  locateForm(page, task).getByRole('button', { name: task.submit, exact: true });

export async function fillIn(page: Page, task: Task): Promise<void> {
  const form = locateForm(page, task);
  for (const [label, value] of Object.entries(task.fill))
    await form.getByLabel(label, { exact: true }).fill(value);
}
