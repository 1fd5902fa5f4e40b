import type { Browser, BrowserContext, Page } from 'playwright-core';
import { DEMO_PASSWORD } from '../../examples/demo-crm/hubs.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import { buildDashboard, noteFaults } from '../support/dashboard.ts';
import { callApiOk, OPERATOR } from '../support/gateway.ts';
import type { GatewayOptions } from '../support/gateway-environment.ts';
import { type Stage, startStage } from '../support/stage.ts';

export type DashboardStage = Stage & {
  readonly browser: Browser;
  /** Of the project's owner, signed in. */
  readonly page: Page;
  /** What the browser refused or a page threw since it was asked last. */
  readonly takeFaults: () => string[];
  /** Another operator of the project, who may look only. */
  readonly openAsViewer: () => Promise<Page>;
};

/** Without motion, which costs a picture after the other: how pages move is not what these tests are about. */
const CONTEXT = { locale: 'en-GB', reducedMotion: 'reduce' } as const;

/** A demo CRM, a gateway with its dashboard, and a browser in which the project's owner is signed in. */
export async function startDashboardStage(gateway: GatewayOptions = {}): Promise<DashboardStage> {
  buildDashboard();
  const [stage, browser] = await Promise.all([startStage({ gateway }), startBrowser()]);
  const faults: string[] = [];
  const close = async () => {
    await browser.close();
    await stage.close();
  };
  const { url } = stage.gateway;
  try {
    const context = await openContext(browser, { ...CONTEXT, baseURL: url });
    await signIn(context, url, OPERATOR);
    const page = await openPage(context, faults);
    return {
      ...stage,
      browser,
      page,
      close,
      takeFaults: () => faults.splice(0),
      openAsViewer: async () => {
        const viewer = { email: 'viewer@example.test', password: 'another long pass phrase' };
        await acceptAsViewer(stage, viewer);
        const own = await openContext(browser, { ...CONTEXT, baseURL: url });
        await signIn(own, url, viewer);
        return openPage(own, faults);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPage(context: BrowserContext, faults: string[]): Promise<Page> {
  const page = await context.newPage();
  noteFaults(page, faults);
  return page;
}

type Account = { readonly email: string; readonly password: string };

async function signIn(context: BrowserContext, url: string, account: Account): Promise<void> {
  const answer = await context.request.post('/v1/sessions', { data: account, headers: { origin: url } });
  if (!answer.ok()) throw new Error(`Not signed in: ${await answer.text()}`);
}

async function acceptAsViewer({ gateway, project }: Stage, { email, password }: Account): Promise<void> {
  const invitation = await callApiOk(gateway.url, 'POST', `/v1/projects/${project.id}/invitations`, {
    bearer: project.personalAccessToken,
    body: { email, role: 'viewer' },
  });
  const token = new URL(invitation.url).hash.slice(1);
  await callApiOk(gateway.url, 'POST', '/v1/invitations/accept', { body: { token, password } });
}

/** Logs in at the demo CRM and allows access, in the window that asks for it. */
export async function allowInWindow(popup: Page): Promise<void> {
  await popup.locator('#sign-in, #allow').first().waitFor();
  if ((await popup.locator('#sign-in').count()) > 0) {
    await popup.getByLabel('E-mail').fill('ada@northwind.test');
    await popup.getByLabel('Password').fill(DEMO_PASSWORD);
    await popup.click('#sign-in');
  }
  await popup.click('#allow');
}
