import { createHttpBrowser, type HttpBrowser, type Page } from '../examples/http-browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import {
  answerTokens,
  type ScriptedProvider,
  scriptedProviderFiles,
  startScriptedProvider,
} from './connecting-provider.ts';

export const RETURN_URL = `${APP_ORIGIN}/back?from=gateway`;
export const CLIENT = { clientId: 'client id', clientSecret: 'first secret' };

export type Session = { readonly id: string; readonly url: string; readonly expiresAt: string };

export type ConnectingStage = Awaited<ReturnType<typeof startConnectingStage>>;

/** A scripted provider in all its guises, a gateway that knows them, and a project with an integration of some. */
export async function startConnectingStage(
  providers: readonly string[],
  settings: { env?: Record<string, string>; allowedOrigins?: string[]; returnUrls?: string[] } = {},
) {
  const cleanUps: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    const provider = await startScriptedProvider();
    cleanUps.push(provider.close);
    const catalog = await createCatalogDir(scriptedProviderFiles(provider.url));
    cleanUps.push(catalog.remove);
    const database = await createTestDatabase();
    cleanUps.push(database.drop);
    const gateway = await startGateway({
      catalogDir: catalog.path,
      databaseUrl: database.url,
      env: { ENCRYPTION_KEYS: createEncryptionKey(), ...settings.env },
    });
    cleanUps.push(gateway.stop);
    const { allowedOrigins = [APP_ORIGIN], returnUrls = [RETURN_URL] } = settings;
    const project = await provision(gateway, { allowedOrigins, returnUrls });
    const stage = { provider, gateway, database, project, catalogDir: catalog.path };
    const integrations: Record<string, string> = {};
    for (const id of providers) integrations[id] = await integrate(stage, id);
    return { ...stage, integrations, ...actions(stage), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Base = {
  readonly provider: ScriptedProvider;
  readonly gateway: Gateway;
  readonly database: TestDatabase;
  readonly project: Project;
};

export async function integrate(
  { gateway, project }: Pick<Base, 'gateway' | 'project'>,
  serviceProvider: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const isOAuth = !['keyed', 'keyed-tenant', 'basic'].includes(serviceProvider);
  const body = { serviceProvider, ...(isOAuth && { ...CLIENT, scopes: ['read', 'write'] }), ...more };
  return (await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer: project.apiKey, body })).id;
}

/** What an application, its user's browser and the provider do, each step by itself so that a test can bend it. */
function actions({ gateway, project, provider }: Base) {
  const openBrowser = () => createHttpBrowser({ origins: [gateway.url] });

  /** A session of a user, made in the user's own page. */
  const start = (userId: string, body: Record<string, unknown> = {}): Promise<Session> =>
    callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: project.userToken(userId),
      headers: { origin: APP_ORIGIN },
      body: { provider: 'scripted', ...body },
    });

  /** A session that the application's backend makes for a user. */
  const startByKey = (userId: string, body: Record<string, unknown> = {}): Promise<Session> =>
    callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: project.apiKey,
      body: { provider: 'scripted', userId, ...body },
    });

  /** The authorization request that the link sends this browser to. */
  async function follow(session: Session, browser: HttpBrowser): Promise<URL> {
    const page = await browser.open(session.url);
    if (page.status !== 0) throw new Error(`Not sent to the provider: ${page.status} ${page.body}`);
    return new URL(page.url);
  }

  /** The provider's answer to an authorization request, in this browser. */
  const answer = (
    request: URL,
    browser: HttpBrowser,
    parameters: Record<string, string> = {},
  ): Promise<Page> => browser.open(callbackUrl(request, { code: 'the-code', ...parameters }));

  function callbackUrl(request: URL, parameters: Record<string, string>): string {
    const callback = new URL(request.searchParams.get('redirect_uri') ?? '');
    callback.searchParams.set('state', request.searchParams.get('state') ?? '');
    for (const [name, value] of Object.entries(parameters)) callback.searchParams.set(name, value);
    return callback.href;
  }

  /** From the link to the closing page (or the return URL) in a browser of its own. */
  async function authorize(session: Session, parameters: Record<string, string> = {}): Promise<Page> {
    const browser = openBrowser();
    return answer(await follow(session, browser), browser, parameters);
  }

  const complete = (sessionId: string, completionCode: string | undefined, bearer: string) =>
    callApi(gateway.url, 'POST', `/v1/connect-sessions/${sessionId}/complete`, {
      bearer,
      body: { completionCode },
    });

  /** The whole way of one user to one account: the answer to its completion. */
  async function connect(userId: string, accountId: string, body: Record<string, unknown> = {}) {
    provider.answerToken = () => answerTokens(accountId);
    const session = await start(userId, body);
    const { message } = readOutcome(await authorize(session));
    if (message.status === 'error') throw new Error(`Not authorized: ${message.error}`);
    return complete(session.id, message.completionCode, project.userToken(userId));
  }

  const connectionsOf = async (userId: string): Promise<{ id: string; accountId: string | null }[]> => {
    const answer = await callApiOk(gateway.url, 'GET', '/v1/connections', {
      bearer: project.userToken(userId),
    });
    return answer.connections;
  };

  return {
    openBrowser,
    start,
    startByKey,
    follow,
    answer,
    callbackUrl,
    authorize,
    complete,
    connect,
    connectionsOf,
  };
}
