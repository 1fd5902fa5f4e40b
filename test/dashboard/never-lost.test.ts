import type { Page } from 'playwright-core';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';
import {
  fillIn,
  go,
  locateForm,
  locateSubmit,
  navigation,
  opener,
  TASKS,
  type Task,
} from '../support/dashboard-tasks.ts';
import { OPERATOR } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let stage: DashboardStage;
let integrationId: string;

beforeAll(async () => {
  stage = await startDashboardStage();
  const integration = await stage.call('POST', '/v1/integrations', {
    ...{ projectId: stage.project.id, serviceProvider: 'hubspot', scopes: ['crm.objects.contacts.read'] },
    ...{ clientId: 'client', clientSecret: 'secret' },
  });
  integrationId = integration.id;
});
afterAll(() => stage?.close());
afterEach(() => expect(stage.takeFaults()).toEqual([]));

const addressOf = ({ page }: Task) =>
  `/p/${stage.project.id}${page.replace(':integrationId', integrationId)}`;

/** Does something while there is no network, and looks at the frame. */
async function withoutNetwork(page: Page, act: () => Promise<unknown>): Promise<void> {
  await page.context().setOffline(true);
  try {
    await page.waitForFunction('!navigator.onLine');
    await act();
    await page.getByText('You are offline.', { exact: false }).waitFor();
    await navigation(page).waitFor();
    expect(await page.getByText('This page has a fault').count()).toBe(0);
  } finally {
    await page.context().setOffline(false);
  }
}

async function openPage(options: Parameters<DashboardStage['openAs']>[1] = {}): Promise<Page> {
  const page = await stage.openAs('owner', options);
  await page.goto('/me');
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

type Sent = { readonly key: string | undefined; readonly status: number; readonly isReplayed: boolean };

/** What the API answered to this task's changes; of the first of them the page hears nothing where `isLost`. */
async function watch(page: Page, { method, path }: Task, isLost: boolean): Promise<Sent[]> {
  const sent: Sent[] = [];
  await page.route(
    ({ pathname }) => path.test(pathname.replace('/v1', '')),
    async (route) => {
      const request = route.request();
      if (request.method() !== method) return route.fallback();
      const response = await route.fetch();
      sent.push({
        key: request.headers()['idempotency-key'],
        status: response.status(),
        isReplayed: response.headers()['idempotency-replayed'] === 'true',
      });
      if (isLost && sent.length === 1) return route.abort();
      return route.fulfill({ response });
    },
  );
  return sent;
}

describe('a task during which the network goes at every step', () => {
  it.each(TASKS)('keeps the frame and is finished afterwards, once: $name', async (task) => {
    const page = await openPage();
    await withoutNetwork(page, () => go(page, addressOf(task)));
    for (const name of task.opens) {
      await opener(page, name).waitFor();
      await withoutNetwork(page, () => opener(page, name).click());
    }
    await locateSubmit(page, task).waitFor();
    await fillIn(page, task);
    const isCreating = task.method === 'POST';
    const sent = await watch(page, task, isCreating);
    await withoutNetwork(page, () => locateSubmit(page, task).click());
    await task.done(page).waitFor();
    if (isCreating) {
      // The first answer was lost, and the second is the same again.
      expect(sent.map(({ isReplayed }) => isReplayed)).toEqual([false, true]);
      expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
      expect(sent[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    } else expect(sent.map(({ status }) => status)).toEqual([200]);
    await page.close();
  });
});

const API_KEY = TASKS[1] ?? raise();
const INTEGRATION = TASKS[0] ?? raise();

function raise(): never {
  throw new Error('There is no such task');
}

async function openForm(page: Page, task: Task): Promise<void> {
  await go(page, addressOf(task));
  for (const name of task.opens) await opener(page, name).click();
  await locateSubmit(page, task).waitFor();
  await fillIn(page, task);
}

describe('a call from the console while the network goes', () => {
  it('keeps what is filled in, and is sent once it is pressed again', async () => {
    const page = await openPage();
    await withoutNetwork(page, () => go(page, `/p/${stage.project.id}/console?provider=hubspot&path=/me`));
    const send = page.getByRole('button', { name: 'Send call' });
    await send.waitFor();
    await withoutNetwork(page, () => send.click());
    await page.getByText('The proxy did not answer').waitFor();
    await send.click();
    await page.getByText('connection_not_found').first().waitFor();
    await page.close();
  });
});

describe('a double click on the button of a form', () => {
  it('makes one thing, however far apart the clicks are and however late the answer is', async () => {
    const page = await openPage({ reducedMotion: 'no-preference' });
    const sent: string[] = [];
    let slowMs = 0;
    await page.route(
      ({ pathname }) => pathname.endsWith('/api-keys'),
      async (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        sent.push(route.request().headers()['idempotency-key'] ?? '');
        const response = await route.fetch();
        setTimeout(() => void route.fulfill({ response }).catch(() => undefined), slowMs);
      },
    );
    await go(page, addressOf(API_KEY));
    for (const distanceMs of [0, 60, 200, 400])
      for (slowMs of [0, 600]) {
        await opener(page, 'Create API key').click();
        await fillIn(page, API_KEY);
        const { x, y, width, height } = (await locateSubmit(page, API_KEY).boundingBox()) ?? raise();
        await page.mouse.click(x + width / 2, y + height / 2);
        await page.waitForTimeout(distanceMs);
        await page.mouse.click(x + width / 2, y + height / 2);
        await API_KEY.done(page).click();
      }
    expect(new Set(sent).size).toBe(8);
    expect(sent).toHaveLength(8);
    await page.close();
  });
});

describe('a session that ends while a form is open', () => {
  it('is begun anew above the page, and what was typed is sent', async () => {
    const page = await stage.openSignedOut();
    const signIn = () =>
      page.request.post('/v1/sessions', {
        data: { email: OPERATOR.email, password: OPERATOR.password },
        headers: { origin: stage.gateway.url },
      });
    await signIn();
    await page.goto('/me');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openForm(page, INTEGRATION);
    await page.context().clearCookies();
    await locateSubmit(page, INTEGRATION).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill('not the password at all');
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(OPERATOR.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await INTEGRATION.done(page).waitFor();
    await page.context().close();
  });

  it('keeps what was typed where the operator declines', async () => {
    const page = await stage.openAs('admin');
    await page.goto('/me');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openForm(page, INTEGRATION);
    await page.context().clearCookies();
    await locateSubmit(page, INTEGRATION).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByRole('button', { name: 'Close' }).click();
    await locateForm(page, INTEGRATION).getByRole('alert').waitFor();
    expect(await page.getByLabel('Client id', { exact: true }).inputValue()).toBe('github-client');
    await page.close();
  });
});

describe('a changed form', () => {
  it('asks before it is left, by the navigation and by the browser, and not once it is saved', async () => {
    const page = await openPage();
    await openForm(page, INTEGRATION);
    await navigation(page).getByRole('link', { name: 'Connections' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Client id', { exact: true }).inputValue()).toBe('github-client');
    await page.goBack();
    await question.getByRole('button', { name: 'Cancel' }).click();
    const asked = page.waitForEvent('dialog');
    const reload = page.reload().catch(() => undefined);
    const native = await asked;
    expect(native.type()).toBe('beforeunload');
    await native.dismiss();
    expect(await page.getByLabel('Client id', { exact: true }).inputValue()).toBe('github-client');
    await navigation(page).getByRole('link', { name: 'Connections' }).click();
    await question.getByRole('button', { name: 'Leave page' }).click();
    await page.getByRole('heading', { name: 'Connections', level: 1 }).waitFor();
    await page.close();
    await reload;
  });
});

describe('two tabs of one session', () => {
  it('show nothing any more when one of them has signed out', async () => {
    const page = await stage.openSignedOut();
    await page.request.post('/v1/sessions', {
      data: { email: OPERATOR.email, password: OPERATOR.password },
      headers: { origin: stage.gateway.url },
    });
    const other = await page.context().newPage();
    for (const tab of [page, other]) {
      await tab.goto(`/p/${stage.project.id}/settings/api-keys`);
      await tab.getByRole('heading', { level: 1 }).waitFor();
    }
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    await other.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    await page.context().close();
  });
});

describe('the menu of projects', () => {
  it('orders them by name, finds one by a part of it, and keeps a new one in reach', async () => {
    const names = Array.from(
      { length: 12 },
      (_, index) => `Tenant ${12 - index} of a rather long name, to be cut`,
    );
    for (const name of names) await stage.call('POST', '/v1/projects', { name });
    const page = await openPage();
    await opener(page, 'Switch project').click();
    const items = page.getByRole('menuitem');
    await items.first().waitFor();
    const shown = (await items.allTextContents()).filter((text) => text.startsWith('Tenant'));
    expect(shown).toEqual([...names].reverse());
    await page.getByRole('menuitem', { name: 'New project' }).click({ trial: true });
    await page.getByRole('searchbox', { name: 'Find project' }).fill('tenant 7');
    await until(async () => (await items.count()) === 2);
    await items.first().click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.close();
  });
});

describe('a filter of a list', () => {
  it('is undone by the browser’s back button', async () => {
    const page = await openPage();
    await go(page, `/p/${stage.project.id}/connections`);
    await page.getByRole('heading', { name: 'Connections', level: 1 }).waitFor();
    await go(page, `/p/${stage.project.id}/settings/members`);
    const list = `/p/${stage.project.id}/activity`;
    await go(page, list);
    const filter = page.getByRole('search').getByRole('button').first();
    await filter.click();
    await page.getByRole('menuitem').first().click();
    await page.waitForURL((url) => url.search !== '');
    await page.goBack();
    await page.waitForURL((url) => url.pathname === list && url.search === '');
    await page.close();
  });
});
