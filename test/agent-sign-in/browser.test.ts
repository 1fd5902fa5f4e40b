import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openModernSigningClient, type SigningClient } from '../support/agent-oauth-client.ts';
import { startApplicationPage, startLoopback } from '../support/application-page.ts';
import { seriousFindings } from '../support/axe.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import { type ClientDocuments, startClientDocuments } from '../support/client-documents.ts';
import { callApiOk } from '../support/gateway.ts';
import { CONTACTS, PROVIDER, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
let documents: ClientDocuments;
let application: Awaited<ReturnType<typeof startApplicationPage>>;
let loopback: Awaited<ReturnType<typeof startLoopback>>;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let client: SigningClient | undefined;

beforeAll(async () => {
  documents = await startClientDocuments();
  stage = await startStage();
  const { gateway, project } = stage;
  application = await startApplicationPage((nonce) => project.userToken('mia', { claims: { nonce } }));
  await callApiOk(gateway.url, 'PATCH', `/v1/projects/${project.id}`, {
    bearer: project.apiKey,
    body: { agentSignIn: { page: application.url }, branding: { displayName: 'Northwind' } },
  });
  loopback = await startLoopback();
  browser = await startBrowser();
  context = await openContext(browser, { locale: 'en' });
  page = await context.newPage();
});
afterAll(async () => {
  await client?.close();
  await browser?.close();
  await loopback?.close();
  await application?.close();
  await stage?.close();
  await documents?.close();
});

const find = { provider: PROVIDER, path: CONTACTS, query: 'limit=1' };

/** The person at the client's address: through the application, and the consent to reading alone. */
async function allowReading(url: URL): Promise<URL> {
  await page.goto(url.href);
  await page.click('text=Continue');
  await page.waitForSelector('h1:has-text("Let Desk Assistant use your accounts?")');
  const words = await page.innerText('main');
  expect(words).toContain('You are signed in at Northwind as mia.');
  expect(words).toContain(`vouched for by ${new URL(documents.origin).host}`);
  expect(words).toContain('A program on this computer');
  expect(await seriousFindings(page)).toEqual([]);
  expect(await page.isChecked('input[value="read"]')).toBe(true);
  expect(await pressThrice()).toEqual([true, false, true]);
  await page.click('button:has-text("Allow") >> nth=0');
  return loopback.callback;
}

/** Which presses the page would send: a second one takes the way on from the first, but not once the page is shown again. */
function pressThrice(): Promise<boolean[]> {
  return page.evaluate(() => {
    const [form] = document.forms;
    const press = () => form?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
    const showAgain = () => window.dispatchEvent(new Event('pageshow'));
    const twice = [press(), press()];
    showAgain();
    const sent = [...twice, press()].map(Boolean);
    showAgain();
    return sent;
  });
}

it('an unknown client signs in, connects an account, reads, and is refused a change', async () => {
  const { redirectUri } = loopback;
  const clientId = documents.add();
  const address = `${stage.gateway.url}/projects/${stage.project.id}/mcp`;
  client = await openModernSigningClient(address, clientId, allowReading, { redirectUri });

  const missing = await client.callTool('read', find);
  expect(missing.structuredContent).toMatchObject({ code: 'connection_needed' });
  const link = /"connectUrl":"([^"]+)"/.exec(JSON.stringify(missing.structuredContent))?.[1] ?? '';
  await page.goto(link);
  await page.fill('input[name="email"]', 'ada@northwind.test');
  await page.fill('input[name="password"]', 'demo');
  await page.click('button[type="submit"]');
  await page.click('button:has-text("Allow")');
  await page.waitForURL('**/agents/connected*');
  const completionCode = await page.inputValue('#code');
  const connected = await client.callTool('connect', { provider: PROVIDER, completionCode });
  expect(connected.structuredContent).toMatchObject({ isConnected: true });

  expect((await client.callTool('read', find)).structuredContent).toMatchObject({ status: 200 });
  const change = { provider: PROVIDER, method: 'POST', path: CONTACTS, body: { properties: {} } };
  const refused = await client.callTool('write', change);
  expect(refused.structuredContent).toMatchObject({ source: 'gateway', code: 'mandate_denied' });

  const consents = await callApiOk(stage.gateway.url, 'GET', '/v1/agent-consents', {
    bearer: stage.project.userToken('mia'),
  });
  expect(consents.consents).toMatchObject([{ access: 'read', client: { id: clientId } }]);
});
