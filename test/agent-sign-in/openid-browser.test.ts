import type { Browser, Page } from 'playwright-core';
import { openModernSigningClient } from '../support/agent-oauth-client.ts';
import { type SignInStage, startSignInStage } from '../support/agent-sign-in.ts';
import { NOTES } from '../support/agent-stage.ts';
import { startLoopback } from '../support/application-page.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../support/authorization-server.ts';
import { seriousFindings } from '../support/axe.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import { callApiOk } from '../support/gateway.ts';

let stage: SignInStage;
let provider: AuthorizationServer;
let loopback: Awaited<ReturnType<typeof startLoopback>>;
let browser: Browser;
let page: Page;

const change = (openid: Record<string, unknown>) =>
  callApiOk(stage.gateway.url, 'PATCH', `/v1/projects/${stage.project.id}`, {
    bearer: stage.project.apiKey,
    body: { agentSignIn: { openid, dynamicRegistration: true }, branding: { displayName: 'Northwind' } },
  });

beforeAll(async () => {
  stage = await startSignInStage();
  stage.answerWith({ body: '{"notes":[]}' });
  provider = await startAuthorizationServer({
    redirectUri: `${stage.gateway.url}/agents/signed-in/${stage.project.id}`,
    accountId: 'mia',
    claims: () => ({ email: 'mia@northwind.test', email_verified: true }),
  });
  loopback = await startLoopback();
  browser = await startBrowser();
  page = await (await openContext(browser, { locale: 'en' })).newPage();
});
afterAll(async () => {
  await browser?.close();
  await loopback?.close();
  await provider?.close();
  await stage?.close();
});

const setting = () => ({
  // Another site than the gateway's, as providers are.
  issuer: provider.origin,
  clientId: provider.clientId,
  clientSecret: provider.clientSecret,
});

it('a person signs in at the OpenID provider for a client that has registered itself', async () => {
  await change(setting());
  const { redirectUri } = loopback;
  const browse = async (url: URL) => {
    await page.goto(url.href);
    await page.waitForSelector('h1:has-text("Let Desk Assistant use your accounts?")');
    const words = await page.innerText('main');
    expect(words).toContain('You are signed in at Northwind as mia@northwind.test.');
    expect(words).toContain('not vouched for by any address');
    expect(await seriousFindings(page)).toEqual([]);
    await page.click('button:has-text("Allow") >> nth=0');
    return loopback.callback;
  };
  const client = await openModernSigningClient(stage.address, undefined, browse, { redirectUri });
  try {
    const read = await client.callTool('read', { provider: NOTES, path: '/notes' });
    expect(read.structuredContent).toMatchObject({ source: 'provider', status: 200 });
  } finally {
    await client.close();
  }
});

it('a person reads that the provider does not answer, and what support asks for', async () => {
  await change({ ...setting(), issuer: 'http://127.0.0.1:9' });
  const browse = async (url: URL) => {
    await page.goto(url.href);
    await page.waitForSelector('h1:has-text("The sign-in does not answer")');
    await page.click('summary');
    expect(await page.innerText('main')).toContain('agent_sign_in_provider_unavailable');
    expect(await seriousFindings(page)).toEqual([]);
    throw new Error('no person signed in');
  };
  await expect(openModernSigningClient(stage.address, undefined, browse)).rejects.toThrow('was not asked');
});
