import type { Page } from 'playwright-core';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';
import { fillIn, go, locateSubmit, opener, TASKS, type Task } from '../support/dashboard-tasks.ts';
import { OPERATOR } from '../support/gateway.ts';
import { holdAnswer, openReplacedPage, seeFrame } from '../support/replaced-page.ts';
import { until } from '../support/until.ts';

const STORED = 'I have stored it';

let stage: DashboardStage;
let destinationId: string;

beforeAll(async () => {
  stage = await startDashboardStage();
  const projectId = stage.project.id;
  const url = 'https://app.example.test/first';
  destinationId = (await stage.call('POST', '/v1/event-destinations', { projectId, url, types: ['*'] })).id;
});
afterAll(() => stage?.close());
afterEach(() => expect(stage.takeFaults()).toEqual([]));

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
      const { page, replace, countLoads, close } = await openReplacedPage(stage);
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
