import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { giveConsent } from '../support/agent-sign-in.ts';
import { seriousFindings } from '../support/axe.ts';
import { openPage, type SdkStage, startSdkStage } from './stage.ts';

let stage: SdkStage;
let context: BrowserContext;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  stage = await startSdkStage();
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/react-page.ts`],
    bundle: true,
    write: false,
    format: 'esm',
    define: {
      GATEWAY_URL: JSON.stringify(stage.gateway.url),
      PROJECT_ID: JSON.stringify(stage.project.id),
      // With React's own warnings.
      'process.env.NODE_ENV': '"development"',
    },
  });
  stage.application.module = outputFiles[0]?.text;
  context = await stage.signIn('mia');
  context.on('console', (message) => {
    // Chromium reports the status of the page that explains a refusal, in the popup.
    const isOfApplication = message.page()?.url().startsWith(stage.application.url);
    if (isOfApplication && ['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page = await openPage(stage, context);
});
afterAll(() => stage?.close());

/** Presses the button with the keyboard. */
async function press(): Promise<Page> {
  await page.focus('button');
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')]);
  await popup.waitForSelector('#allow');
  return popup;
}

describe('ConnectButton', () => {
  it('is a plain button, busy while its user is in the popup, and announces what went wrong', async () => {
    const button = page.getByRole('button', { name: 'Connect Test CRM' });
    await button.waitFor();
    expect(await button.getAttribute('class')).toBe('own-style');
    expect(await button.getAttribute('aria-busy')).toBe('false');
    expect(await page.getByRole('alert').textContent()).toBe('');
    const popup = await press();
    expect([await button.getAttribute('aria-busy'), await button.isDisabled()]).toEqual(['true', true]);
    await popup.click('#deny');
    await page.getByRole('alert').getByText('Access was not granted').waitFor();
    expect([await button.getAttribute('aria-busy'), await button.isDisabled()]).toEqual(['false', false]);
    await page.locator('button:focus').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('connects, hands over the connection, and forgets the error', async () => {
    await (await press()).click('#allow');
    await page.locator('output').getByText('north.test').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('');
  });
});

describe('useConnections', () => {
  it('shows nothing of another filter while its own connections are yet to come', async () => {
    const other = await context.newPage();
    await other.goto(`${stage.application.url}/#one-state`);
    const items = other.getByRole('listitem');
    await items.getByText('north.test').waitFor();
    await other.route('**/v1/connections?*', () => undefined);
    await other.getByRole('button', { name: 'Broken ones' }).click();
    await other.locator('ul[aria-busy="true"]').waitFor({ state: 'attached' });
    expect(await items.count()).toBe(0);
    await other.close();
  });

  it('shows the connection without being told, and takes it away when another tab disconnects it', async () => {
    await page.getByRole('listitem').getByText('north.test').waitFor();
    const elsewhere = await openPage(stage, context);
    await elsewhere.getByRole('listitem').getByText('north.test').waitFor();
    await elsewhere.evaluate(async () => {
      const [connection] = await window.gateway.connections();
      if (connection) await window.gateway.disconnect(connection.id);
    });
    await page.getByRole('listitem').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});

it('useIntegrations asks again where it could not learn what there is', async () => {
  const other = await stage.signIn('nobody').then((visitor) => visitor.newPage());
  await other.route('**/v1/integrations?*', (route) => route.abort(), { times: 1 });
  await other.goto(`${stage.application.url}/#offered`);
  await other.getByRole('button', { name: 'Try again' }).click();
  await other.getByText('Test CRM').waitFor();
  expect(await other.getByRole('button').count()).toBe(0);
  await other.context().close();
});

describe('Connections', () => {
  it('lists what is connected, connects it again, and removes it once its user has agreed', async () => {
    await (await press()).click('#allow');
    await page.getByRole('listitem').getByText('north.test').waitFor();
    const list = await context.newPage();
    await list.goto(`${stage.application.url}/#list`);
    await list.getByRole('listitem').getByText('north.test').waitFor();
    expect(await list.locator('.own-list em').count()).toBe(0);
    expect(await seriousFindings(list)).toEqual([]);
    const again = list.getByRole('button', { name: 'Connect again: north.test' });
    const [popup] = await Promise.all([list.waitForEvent('popup'), again.click()]);
    await Promise.all([popup.waitForEvent('close'), popup.click('#allow')]);
    const remove = list.getByRole('button', { name: 'Remove: north.test' });
    list.once('dialog', (dialog) => dialog.dismiss());
    await remove.click();
    expect(await list.locator('.own-list > ul > li').count()).toBe(1);
    list.once('dialog', (dialog) => dialog.accept());
    await remove.click();
    await list.getByText('Nothing is connected.').waitFor();
    await page.getByRole('listitem').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  it('tells what may use them, in the language of the browser, and withdraws what an agent was allowed', async () => {
    await giveConsent(stage.gateway, stage.project, 'mia');
    const list = await context.newPage();
    await list.addInitScript(`Object.defineProperty(navigator, 'language', { value: 'de-AT' })`);
    await list.goto(`${stage.application.url}/#list`);
    const users = list.getByRole('region', { name: 'Was diese Konten benutzen darf' });
    await users.getByText('Diese Anwendung').waitFor();
    const withdraw = users.getByRole('button', { name: /^Widerrufen: / });
    await withdraw.waitFor();
    expect(await seriousFindings(list)).toEqual([]);
    await withdraw.dblclick();
    await withdraw.waitFor({ state: 'detached' });
    expect(await users.getByRole('listitem').allTextContents()).toEqual(['Diese Anwendung']);
    expect(await list.getByRole('alert').allTextContents()).toEqual(['', '']);
    expect(problems).toEqual([]);
  });

  it('says what went wrong in the language of the list, for people', async () => {
    await (await press()).click('#allow');
    const list = await context.newPage();
    await list.addInitScript(`Object.defineProperty(navigator, 'language', { value: 'es' })`);
    await list.goto(`${stage.application.url}/#list`);
    const again = list.getByRole('button', { name: 'Conectar de nuevo: north.test' });
    const [popup] = await Promise.all([list.waitForEvent('popup'), again.click()]);
    await popup.click('#deny');
    await list.getByText('No se concedió el acceso.').waitFor();
    await list.route('**/v1/connections/*', (route) => route.abort());
    list.once('dialog', (dialog) => dialog.accept());
    await list.getByRole('button', { name: 'Quitar: north.test' }).click();
    await list.getByText('No hubo respuesta.').waitFor();
  });
});
