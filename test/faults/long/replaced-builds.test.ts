import type { Locator, Page } from 'playwright-core';
import { type DashboardStage, startDashboardStage } from '../../support/dashboard-stage.ts';
import {
  fillIn,
  go,
  locateForm,
  locateSubmit,
  opener,
  TASKS,
  type Task,
} from '../../support/dashboard-tasks.ts';
import { holdAnswer, type OpenedPage, openReplacedPage, seeFrame } from '../../support/replaced-page.ts';
import { until } from '../../support/until.ts';

const STORED = 'I have stored it';

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

const addressOf = (page: string) => `/p/${stage.project.id}${page.replace(':integrationId', integrationId)}`;

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

const press = (button: Locator | undefined): Promise<boolean> =>
  (button?.click({ timeout: 10_000 }) ?? Promise.reject(new Error('There is no button'))).then(
    () => true,
    () => false,
  );

/**
 * Opens the page of a task and then its form, with another build at each step. Where the page loads itself again meanwhile,
 * nothing is lost yet, and the steps are taken once more.
 */
async function openForm({ page, replace, countLoads }: OpenedPage, task: Task): Promise<void> {
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
      // A page that loads itself again just then takes no click.
      const isPressed = step === task.opens.length || (await press(steps[step]?.()));
      if (isPressed) step += 1;
    }
  }
}

/** Does a task with another build at each step of it. */
async function walk(task: Task): Promise<void> {
  const opened = await openReplacedPage(stage);
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
    const { page, replace, countLoads, close } = await openReplacedPage(stage);
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
