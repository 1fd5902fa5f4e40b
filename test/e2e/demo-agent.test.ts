import type { Browser, Page } from 'playwright-core';
import { type Demo, startDemo } from '../../examples/demo/start-demo.ts';
import { seriousFindings } from '../support/axe.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import { findDemoPorts } from '../support/ports.ts';
import { programPath } from '../support/programs.ts';

let demo: Demo;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [demo, browser] = await Promise.all([
    startDemo({ ports: await findDemoPorts(), main: programPath('src/main.ts') }),
    startBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});
beforeEach(async () => {
  const context = await openContext(browser);
  page = await context.newPage();
});
afterEach(() => page.context().close());

async function openAgent(userId: string): Promise<void> {
  await page.goto(demo.app.url);
  await page.click(`button[value=${userId}]`);
  await page.getByRole('link', { name: 'An agent at work' }).click();
  await page.getByRole('button', { name: 'Start the agent' }).waitFor();
}

/** Presses the one button, and gives what the page says of the step. */
async function go(name: string): Promise<string> {
  const before = await page.locator('#steps > li').count();
  await page.getByRole('button', { name }).click();
  const step = page.locator('#steps > li').nth(before);
  await step.waitFor();
  return step.innerText();
}

async function openFrom(link: string): Promise<Page> {
  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: link }).click(),
  ]);
  return opened;
}

/** Connects on the page that the agent was given, and brings back its code. */
async function bringCode(): Promise<void> {
  const connecting = await openFrom('Open the page and connect');
  await connecting.waitForSelector('#email, #allow');
  if (await connecting.isVisible('#email')) {
    await connecting.fill('#email', 'ada@northwind.test');
    await connecting.fill('#password', 'demo');
    await connecting.click('#sign-in');
  }
  await connecting.click('#allow');
  const code = connecting.locator('input#code');
  await code.waitFor();
  await page.getByLabel('Code of the last page').fill(await code.inputValue());
  await connecting.close();
}

async function decide(button: string): Promise<string> {
  const approving = await openFrom('Look at the call and decide');
  await approving.getByRole('button', { name: button, exact: true }).waitFor();
  const text = await approving.innerText('main');
  await approving.getByRole('button', { name: button, exact: true }).click();
  const done = button === 'Allow' ? 'Allowed' : 'Not allowed';
  await approving.getByRole('heading', { name: done, exact: true }).waitFor();
  await approving.close();
  return text;
}

describe('the agent of the demo', () => {
  it('asks for an account, reads, is refused a change, and sends the one that its user approves, once', async () => {
    await openAgent('user-mia');
    expect(await go('Start the agent')).toContain('demo-crm: could be connected');
    expect(await go('Have it read contacts')).toContain('No account is connected');
    expect(await go('Have it ask for the account')).toContain('Waits for you to connect');
    await bringCode();
    expect(await go('Give the agent the code')).toContain('Connected');
    expect(await go('Have it read contacts')).toContain('The CRM answered 200');
    const operations = await go('Have it look for an operation');
    expect(operations).toContain('GET /crm/v3/objects/contacts/{contactId}');
    expect(operations).not.toContain('PATCH');
    expect(await go('Have it change a contact')).toContain('Refused by the gateway: mandate_denied');
    await go('Let it change contacts, with my approval');
    expect(await page.innerText('#mandate')).toContain('if you approve each call');
    expect(await go('Have it try again')).toContain('Waits for your approval');
    expect(await seriousFindings(page)).toEqual([]);
    const shown = await decide('Allow');
    for (const part of ['Demo agent (demo-agent)', 'PATCH', 'Head of Agents']) expect(shown).toContain(part);
    const sent = await go('Have it make the same call again');
    expect(sent).toContain('The CRM answered 200');
    expect(sent).toContain('Head of Agents');
    expect(await go('Have it send the change twice')).toContain('Waits for your approval');
    await page.getByText('That was all').waitFor();
  });

  it('stops where its user refuses the change', async () => {
    await openAgent('user-noah');
    await go('Start the agent');
    await go('Have it read contacts');
    await go('Have it ask for the account');
    await bringCode();
    await go('Give the agent the code');
    for (const button of [
      'Have it read contacts',
      'Have it look for an operation',
      'Have it change a contact',
    ])
      await go(button);
    await go('Let it change contacts, with my approval');
    await go('Have it try again');
    await decide('Do not allow');
    expect(await go('Have it make the same call again')).toContain(
      'Refused by the gateway: approval_rejected',
    );
    await page.getByText('That was all').waitFor();
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByRole('button', { name: 'Start the agent' }).waitFor();
  });

  it('opens the page of an approval for no other user', async () => {
    await openAgent('user-zoe');
    const answer = await page.goto(`${demo.app.url}/approve?approval=0190aaaa-0000-7000-8000-000000000000`);
    expect(answer?.status()).toBe(404);
  });
});
