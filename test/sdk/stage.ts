import pg from 'pg';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import type * as Sdk from '../../src/web/sdk/connect.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApiOk, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import type { GatewayOptions } from '../support/gateway-environment.ts';
import { type Application, startApplication } from './application.ts';
import { PROVIDER, providerFile, startTestProvider, type TestProvider } from './provider.ts';

declare global {
  interface Window {
    readonly sdk: typeof Sdk;
    readonly gateway: Sdk.Gateway;
    readonly events: Sdk.GatewayEvent[];
  }
}

export type SdkStage = {
  readonly gateway: Gateway;
  readonly project: Project;
  readonly provider: TestProvider;
  readonly application: Application;
  readonly browser: Browser;
  /** A browser of its own for this user, in which every page may be opened. */
  readonly signIn: (userId: string) => Promise<BrowserContext>;
  /** The same for a user whom nothing knows yet. */
  readonly signInAgain: () => Promise<{ user: string; context: BrowserContext }>;
  readonly close: () => Promise<void>;
};

/** An application that uses the SDK, a gateway with one integration, its provider, and a Chromium. */
export async function startSdkStage(options: Pick<GatewayOptions, 'hasProxyUrl'> = {}): Promise<SdkStage> {
  const cleanUps: (() => Promise<unknown>)[] = [];
  let users = 0;
  const close = async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    const provider = await startTestProvider();
    const application = await startApplication();
    cleanUps.push(provider.close, application.close);
    const catalog = await createCatalogDir({ [PROVIDER]: providerFile(provider.url) });
    cleanUps.push(catalog.remove);
    const starting = startBrowser();
    cleanUps.push(async () => (await starting).close());
    const gateway = await startGateway({ catalogDir: catalog.path, ...options });
    cleanUps.push(gateway.stop);
    const browser = await starting;
    const project = await provision(gateway, {
      allowedOrigins: [application.url],
      returnUrls: [`${application.url}/`, `${application.url}/back`, `${application.url}/isolated`],
    });
    await callApiOk(gateway.url, 'POST', '/v1/integrations', {
      bearer: project.apiKey,
      body: { serviceProvider: PROVIDER, clientId: 'id', clientSecret: 'secret', scopes: ['read'] },
    });
    application.attach(gateway, project.id);
    application.tokenOf = (userId) => project.userToken(userId);
    return { gateway, project, provider, application, browser, signIn, signInAgain, close };

    async function signIn(userId: string): Promise<BrowserContext> {
      const context = await openContext(browser);
      await context.addCookies([{ name: 'user', value: userId, url: application.url }]);
      return context;
    }

    async function signInAgain() {
      users += 1;
      const user = `user-${users}`;
      return { user, context: await signIn(user) };
    }
  } catch (error) {
    await close();
    throw error;
  }
}

/** A page of the application, with its gateway made. */
export async function openPage(stage: SdkStage, context: BrowserContext, path = '/'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(stage.application.url + path);
  await page.waitForFunction(() => 'gateway' in window);
  return page;
}

export type Outcome = {
  readonly id?: string;
  readonly name?: string;
  readonly code?: string;
  readonly reason?: string;
};

/** Connects in a page as a click would, and tells what came of it. */
export function connect(page: Page, options: Sdk.ConnectOptions = {}): Promise<Outcome> {
  return page.evaluate(
    ([provider, given]) =>
      window.gateway.connect(provider, given).then(
        ({ id }) => ({ id }),
        ({ name, code, reason }) => ({ name, code, reason }),
      ),
    [PROVIDER, options] as const,
  );
}

/** The same, with the popup that it opens at the provider's page. */
export async function connectInPopup(page: Page, options: Sdk.ConnectOptions = {}) {
  const opening = page.waitForEvent('popup');
  const outcome = connect(page, options);
  // A test that fails before it asks for the outcome closes the page: the test's own failure is to be reported.
  outcome.catch(() => undefined);
  const popup = await opening;
  await popup.waitForSelector('#allow');
  return { popup, outcome };
}

export async function listConnections(
  { gateway, project }: SdkStage,
  userId: string,
): Promise<{ id: string }[]> {
  const bearer = project.userToken(userId);
  return (await callApiOk(gateway.url, 'GET', '/v1/connections', { bearer })).connections;
}

/** As if their users had taken longer than a connect session lasts. */
export async function expireSessions({ gateway }: SdkStage): Promise<void> {
  const client = new pg.Client(connectionSettings(gateway.databaseUrl ?? ''));
  await client.connect();
  try {
    await client.query('UPDATE connect_sessions SET expires_at = now()');
  } finally {
    await client.end();
  }
}
