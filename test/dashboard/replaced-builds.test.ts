import type { Page } from 'playwright-core';
import { replaceBuilds } from '../support/dashboard-builds.ts';
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

const STORED = 'I have stored it';

let stage: DashboardStage;
let integrationId: string;
let destinationId: string;

beforeAll(async () => {
  stage = await startDashboardStage();
  const projectId = stage.project.id;
  const integration = await stage.call('POST', '/v1/integrations', {
    ...{ projectId, serviceProvider: 'hubspot', scopes: ['crm.objects.contacts.read'] },
    ...{ clientId: 'client', clientSecret: 'secret' },
  });
  integrationId = integration.id;
  const url = 'https://app.example.test/first';
  destinationId = (await stage.call('POST', '/v1/event-destinations', { projectId, url, types: ['*'] })).id;
});
afterAll(() => stage?.close());
afterEach(() => expect(stage.takeFaults()).toEqual([]));

const addressOf = (page: string) => `/p/${stage.project.id}${page.replace(':integrationId', integrationId)}`;
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).first();

/** A page whose build a test replaces, and how often it has been loaded. */
async function openPage() {
  // A context of its own, whose builds no other test replaces.
  const page = await stage.openSignedOut();
  await page.request.post('/v1/sessions', {
    data: { email: OPERATOR.email, password: OPERATOR.password },
    headers: { origin: stage.gateway.url },
  });
  const replace = await replaceBuilds(page.context());
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  await page.goto('/me');
  await heading(page).waitFor();
  const close = async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().close();
  };
  return { page, replace, countLoads: () => loads, close };
}

type Opened = Awaited<ReturnType<typeof openPage>>;

/** Looks at the frame, which is there after each step. */
async function seeFrame(page: Page): Promise<void> {
  await navigation(page).waitFor();
  await heading(page).waitFor();
  expect(await page.getByText('This page has a fault').count()).toBe(0);
}

/** Holds the answer to a change back until the function that this gives back is called. */
async function holdAnswer(page: Page, method: string, path: RegExp) {
  const statuses: number[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(
    ({ pathname }) => path.test(pathname.replace('/v1', '')),
    async (route) => {
      if (route.request().method() !== method) return route.fallback();
      const response = await route.fetch();
      statuses.push(response.status());
      await released;
      await route.fulfill({ response });
    },
  );
  return { release, arrives: () => until(() => statuses.length > 0), statuses: () => statuses };
}

/** Asks for a script that the page does not have yet, and waits until it has looked for a new build so many times. */
async function askForScript(page: Page, looks: number): Promise<void> {
  let seen = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/' && !request.isNavigationRequest()) seen += 1;
  });
  await page.keyboard.press('Control+k');
  await until(() => seen >= looks);
  await page.getByText('The gateway was upgraded.', { exact: false }).waitFor();
}

type Secret = {
  readonly name: string;
  readonly page: string;
  /** What is pressed and filled in until the request goes out. */
  readonly send: (page: Page) => Promise<void>;
  readonly path: RegExp;
  readonly shown: (page: Page) => ReturnType<Page['locator']>;
  /** The button after which the secret may go. */
  readonly dismissal: string;
};

const findTask = (name: string): Task => {
  const task = TASKS.find((one) => one.name === name);
  if (task === undefined) throw new Error(`There is no task ${name}`);
  return task;
};

/** By the form of a task, whose page the test has opened. */
async function sendForm(page: Page, task: Task): Promise<void> {
  for (const name of task.opens) await opener(page, name).click();
  await locateSubmit(page, task).waitFor();
  await fillIn(page, task);
  await locateSubmit(page, task).click();
}

const API_KEY = findTask('an API key');
const TOKEN: Task = {
  ...API_KEY,
  name: 'a personal access token',
  page: '',
  opens: ['Create token'],
  fill: { Name: 'laptop', 'Current password': OPERATOR.password },
  submit: 'Create token',
};

const SECRETS: readonly Secret[] = [
  {
    name: 'an API key',
    page: `/p/:projectId${API_KEY.page}`,
    send: (page) => sendForm(page, API_KEY),
    path: API_KEY.path,
    shown: (page) => page.getByText(/^igk_.{20}/),
    dismissal: STORED,
  },
  {
    name: 'the next secret of a destination',
    page: '/p/:projectId/events/destinations/:destinationId',
    send: async (page) => {
      await page.getByRole('main').getByRole('button', { name: 'Actions', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    },
    path: /\/rotate-secret$/,
    shown: (page) => page.getByText(/^whsec_.{20}/),
    dismissal: STORED,
  },
  {
    name: 'a personal access token',
    page: '/me',
    send: (page) => sendForm(page, TOKEN),
    path: /^\/personal-access-tokens$/,
    shown: (page) => page.getByText(/^igo_.{20}/),
    dismissal: 'Close',
  },
];

describe('a secret that is shown once, while the gateway is upgraded', () => {
  it.each(SECRETS)(
    'stays until it is stored, and then the page loads itself again: $name',
    async (secret) => {
      const { page, replace, countLoads, close } = await openPage();
      const address = secret.page
        .replace(':projectId', stage.project.id)
        .replace(':destinationId', destinationId);
      await go(page, address);
      await until(() => new URL(page.url()).pathname === address);
      const before = countLoads();
      const answer = await holdAnswer(page, 'POST', secret.path);
      await secret.send(page);
      await answer.arrives();
      replace();
      await askForScript(page, 1);
      expect(countLoads()).toBe(before);
      answer.release();
      await secret.shown(page).waitFor();
      await askForScript(page, 2);
      await secret.shown(page).waitFor();
      expect(countLoads()).toBe(before);
      await page.getByRole('button', { name: secret.dismissal, exact: true }).last().click();
      await until(() => countLoads() === before + 1);
      await seeFrame(page);
      await close();
    },
  );
});

/** Whether the page has the script that it loads by itself after three seconds: from then on it asks for none unasked. */
const HAS_ALL = `performance.getEntriesByType('resource')
  .some(({ name, responseStatus }) => name.includes('/problem-words-') && responseStatus === 200)`;

/** A page that loads itself again just then has no router yet. */
const goAgain = (page: Page, address: string) =>
  until(() =>
    go(page, address).then(
      () => true,
      () => false,
    ),
  );

/**
 * Opens the page of a task and then its form, with another build at each step. Where the page loads itself again meanwhile,
 * nothing is lost yet, and the steps are taken once more.
 */
async function openForm({ page, replace, countLoads }: Opened, task: Task): Promise<void> {
  const steps = [...task.opens.map((name) => () => opener(page, name)), () => locateSubmit(page, task)];
  const isReady = async (step: number) =>
    (await steps[step]?.().isVisible()) === true &&
    (step < task.opens.length || (await page.evaluate(HAS_ALL)) === true);
  /** A menu is closed by a page that draws itself once more beneath it. */
  const isShut = async (step: number) => {
    const before = steps[step - 1]?.();
    return (await before?.getAttribute('aria-expanded', { timeout: 1_000 }).catch(() => null)) === 'false';
  };
  let before = countLoads();
  replace();
  await goAgain(page, addressOf(task.page));
  for (let step = 0, replaced = 0; step < steps.length; ) {
    const mayGoOn = async () => (await isReady(step).catch(() => false)) || (await isShut(step));
    await until(async () => countLoads() > before || (await mayGoOn()));
    await seeFrame(page);
    if (countLoads() > before) {
      before = countLoads();
      step = 0;
    } else if (!(await isReady(step).catch(() => false))) {
      if (await isShut(step)) step -= 1;
    } else {
      if (step === replaced && step < task.opens.length) {
        replaced += 1;
        replace();
      }
      if (step < task.opens.length) await steps[step]?.().click();
      step += 1;
    }
  }
}

/** Does a task with another build at each step of it. */
async function walk(task: Task): Promise<void> {
  const opened = await openPage();
  const { page, replace, countLoads, close } = opened;
  await openForm(opened, task);
  const before = countLoads();
  replace();
  await fillIn(page, task);
  replace();
  for (const [label, value] of Object.entries(task.fill))
    expect(await locateForm(page, task).getByLabel(label, { exact: true }).inputValue()).toBe(value);
  const answer = await holdAnswer(page, task.method, task.path);
  await locateSubmit(page, task).click();
  await answer.arrives();
  replace();
  await seeFrame(page);
  expect(countLoads()).toBe(before);
  answer.release();
  // What says that it is saved may be a script of a build that is gone: then the page is loaded again instead.
  await until(async () => countLoads() > before || (await task.done(page).isVisible()));
  await seeFrame(page);
  expect(answer.statuses()).toEqual([task.method === 'POST' ? 201 : 200]);
  const stored = page.getByRole('button', { name: STORED });
  if (await stored.isVisible()) await stored.click();
  replace();
  await goAgain(page, addressOf(''));
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await seeFrame(page);
  await close();
}

/** A page waits more than it works. */
const LANES = 3;

describe('a task during which the gateway is upgraded at every step', () => {
  it('keeps the frame and what is typed, and is done once', async () => {
    const left = [...TASKS];
    const followLane = async () => {
      for (let task = left.shift(); task !== undefined; task = left.shift()) {
        const { name } = task;
        await walk(task).catch((cause: unknown) => {
          throw new Error(`It is not so for ${name}: ${String(cause)}`, { cause });
        });
      }
    };
    await Promise.all(Array.from({ length: LANES }, followLane));
  });

  it('is sent from the console too', async () => {
    const { page, replace, countLoads, close } = await openPage();
    replace();
    await go(page, addressOf('/console?provider=hubspot&path=/me'));
    const send = page.getByRole('button', { name: 'Send call' });
    await until(async () => (await send.isVisible()) && (await page.evaluate(HAS_ALL)) === true);
    const before = countLoads();
    const answer = await holdAnswer(page, 'GET', /\/proxy\/hubspot\//);
    replace();
    await send.click();
    await answer.arrives();
    replace();
    answer.release();
    await page.getByText('connection_not_found').first().waitFor();
    await seeFrame(page);
    expect(countLoads()).toBe(before);
    await close();
  });
});
