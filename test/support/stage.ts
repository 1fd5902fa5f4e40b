import { randomBytes } from 'node:crypto';
import type { DemoCrmClient } from '../../examples/demo-crm/oauth-store.ts';
import { demoCrmProviderFile } from '../../examples/demo-crm/provider-file.ts';
import { type DemoCrm, type DemoCrmOptions, startDemoCrm } from '../../examples/demo-crm/server.ts';
import { createHttpBrowser, type HttpBrowser, type Page } from '../examples/http-browser.ts';
import { createCatalogDir } from './catalog-dir.ts';
import { callApi, callApiOk, type Gateway, type Project, provision, startGateway } from './gateway.ts';
import type { GatewayOptions } from './gateway-environment.ts';

export const PROVIDER = 'demo-crm';
export const APP_ORIGIN = 'http://127.0.0.1:9';
const SCOPES = ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write'];
export const CONTACTS = '/crm/v3/objects/contacts';

export type Stage = {
  readonly crm: DemoCrm;
  readonly catalogDir: string;
  readonly gateway: Gateway;
  readonly project: Project;
  readonly integration: { readonly id: string; readonly redirectUrl: string };
  readonly close: () => Promise<void>;
};

/** A demo CRM, a gateway that knows it, and a project with an integration of it: what most stories begin with. */
export async function startStage(
  options: {
    crm?: Partial<DemoCrmOptions>;
    gateway?: GatewayOptions;
    client?: DemoCrmClient;
    /** In a process of its own with `spawnGateway`. */
    start?: (options: GatewayOptions) => Promise<Gateway>;
  } = {},
): Promise<Stage> {
  const crm = await startDemoCrm({ contacts: 120, clients: [], ...options.crm });
  const catalog = await createCatalogDir({ [PROVIDER]: demoCrmProviderFile(crm.url) });
  const cleanUps: (() => Promise<unknown>)[] = [crm.close, catalog.remove];
  const close = async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    const catalogDir = catalog.path;
    const start = options.start ?? startGateway;
    const gateway = await start({ catalogDir, ...options.gateway });
    cleanUps.push(gateway.stop);
    const project = await provision(gateway, {
      allowedOrigins: [APP_ORIGIN],
      returnUrls: [`${APP_ORIGIN}/`],
    });
    const integration = await integrateDemoCrm(gateway, project, crm, options.client);
    return { crm, catalogDir, gateway, project, integration, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An integration of the demo CRM, known on both sides. */
export async function integrateDemoCrm(
  { url }: Pick<Gateway, 'url'>,
  project: Project,
  crm: DemoCrm,
  known?: DemoCrmClient,
): Promise<{ id: string; redirectUrl: string }> {
  const clientId = known?.clientId ?? `app-${project.id}`;
  const clientSecret = known?.clientSecret ?? randomBytes(24).toString('base64url');
  const integration = await callApiOk(url, 'POST', '/v1/integrations', {
    bearer: project.apiKey,
    body: { serviceProvider: PROVIDER, scopes: SCOPES, clientId, clientSecret },
  });
  const redirectUris = [integration.redirectUrl, ...(known?.redirectUris ?? [])];
  crm.addClient({ clientId, clientSecret, redirectUris, name: 'Application' });
  return integration;
}

export type ConnectOptions = {
  readonly userId: string;
  /** Who logs in at the demo CRM. */
  readonly email?: string;
  /** Members of the connect session besides the provider. */
  readonly session?: Readonly<Record<string, unknown>>;
  readonly browser?: HttpBrowser;
};

/** What the closing page would hand to the page that opened it. */
export type Outcome = {
  readonly message: {
    readonly type: string;
    readonly sessionId: string;
    readonly status: 'success' | 'error';
    readonly completionCode?: string;
    readonly error?: string;
  };
  readonly origin: string | null;
};

type ConnectStage = Pick<Stage, 'crm' | 'project'> & { readonly gateway: Pick<Gateway, 'url'> };

/** Begins a connect session as the application's page does. */
export function startConnectSession(
  { gateway, project }: ConnectStage,
  userId: string,
  session: Readonly<Record<string, unknown>> = { provider: PROVIDER },
) {
  return callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: project.userToken(userId),
    headers: { origin: APP_ORIGIN },
    body: session,
  });
}

/** Follows a connect link to the demo CRM, logs in there, allows it, and comes back: the page the gateway ends with. */
export async function authorize(
  { gateway, crm }: ConnectStage,
  link: string,
  { email = 'ada@northwind.test', browser }: Omit<ConnectOptions, 'userId' | 'session'> = {},
): Promise<Page> {
  const tab = browser ?? createHttpBrowser({ origins: [gateway.url, crm.url] });
  const first = await tab.open(link);
  if (!first.url.startsWith(crm.url))
    throw new Error(`Did not get to the demo CRM: ${first.status} ${first.body}`);
  const isSignIn = first.body.includes('id="sign-in"');
  const consent = isSignIn ? await tab.submit(`${first.url}/sign-in`, { email, password: 'demo' }) : first;
  return tab.submit(`${consent.url}/allow`);
}

export function readOutcome(page: Page): Outcome {
  const json = /<script type="application\/json" id="outcome"[^>]*>([^<]*)<\/script>/.exec(page.body)?.[1];
  if (json === undefined) throw new Error(`No outcome on the page ${page.url}: ${page.status} ${page.body}`);
  return JSON.parse(json);
}

export function complete({ gateway, project }: ConnectStage, userId: string, { message }: Outcome) {
  return callApi(gateway.url, 'POST', `/v1/connect-sessions/${message.sessionId}/complete`, {
    bearer: project.userToken(userId),
    body: { completionCode: message.completionCode },
  });
}

/** The whole authorization, driven as a browser would: the connection as the API shows it. */
export async function connectAccount(stage: ConnectStage, { userId, session = {}, ...rest }: ConnectOptions) {
  const started = await startConnectSession(stage, userId, { provider: PROVIDER, ...session });
  const outcome = readOutcome(await authorize(stage, started.url, rest));
  const answer = await complete(stage, userId, outcome);
  if (answer.status !== 200) throw new Error(`Not completed: ${JSON.stringify(outcome)} ${answer.text}`);
  return answer.body;
}

/** Address under which the provider's own API is found through the gateway. */
export function proxyUrl({ gateway, project }: Pick<Stage, 'gateway' | 'project'>, path = ''): string {
  return `${gateway.url}/projects/${project.id}/proxy/${PROVIDER}${path}`;
}
