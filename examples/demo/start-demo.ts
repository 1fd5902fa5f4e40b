import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { demoCrmProviderFile } from '../demo-crm/provider-file.ts';
import { type DemoCrm, startDemoCrm } from '../demo-crm/server.ts';
import { type SampleApp, startSampleApp } from '../sample-app/server.ts';
import { type GatewayProcess, startGatewayProcess, waitUntilReady } from './gateway-process.ts';
import { findPort } from './ports.ts';
import {
  allowApp,
  type DemoProject,
  integrate,
  mintUserToken,
  pollContacts,
  sendEventsTo,
  setUp,
} from './provision.ts';

export const DEMO_PROVIDER = 'demo-crm';
const SCOPES = ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write'];
const CLIENT_ID = 'sample-app';

export type DemoOptions = {
  /** Wanted ports; another one is taken where a port is in use. 0 takes any. */
  readonly ports: { readonly gateway: number; readonly crm: number; readonly app: number };
  /** Keeps the gateway's data there for the next run; a temporary directory that is removed when left out. */
  readonly dataDirectory?: string | undefined;
  /** The gateway's main module, if it is not `src/main.ts`: a bundle of it. */
  readonly main?: string | undefined;
  /** Further variables of the gateway. */
  readonly env?: Readonly<Record<string, string>>;
};

export type Demo = {
  readonly gatewayUrl: string;
  readonly gateway: GatewayProcess;
  readonly crm: DemoCrm;
  readonly app: SampleApp;
  readonly project: DemoProject;
  /** A token of the first sample user, for calls by hand. */
  readonly userToken: string;
  readonly close: () => Promise<void>;
};

type CleanUp = () => Promise<unknown>;
type OnClose = (cleanUp: CleanUp) => void;

/**
 * Starts a demo CRM, a gateway with an embedded database, and the sample app, all known to each other by nothing but
 * the gateway's public API. Whatever had started is stopped again when it throws.
 */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const cleanUps: CleanUp[] = [];
  const close = async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    return { ...(await startParts(options, (cleanUp) => cleanUps.push(cleanUp))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(options: DemoOptions, onClose: OnClose) {
  const backends = await startBackends(options, onClose);
  const { gatewayUrl, gateway, crm, project, integration } = backends;
  const appPort = await findPort(options.ports.app);
  const appUrl = `http://127.0.0.1:${appPort}`;
  await allowApp(gatewayUrl, project, appUrl);
  await pollContacts(gatewayUrl, project, integration.id);
  const secret = await sendEventsTo(gatewayUrl, project, {
    url: `${appUrl}/gateway-events`,
    types: [`${DEMO_PROVIDER}.*`],
  });
  const app = await startSampleApp({
    ...project,
    gatewayUrl,
    port: appPort,
    provider: DEMO_PROVIDER,
    providerUrl: crm.url,
    events: { by: 'deliveries', secret },
    agentKey: project.apiKey,
  });
  onClose(app.close);
  const userToken = await mintUserToken(gatewayUrl, project, 'user-mia');
  return { gatewayUrl, gateway, crm, app, project, userToken };
}

export type BackendOptions = Omit<DemoOptions, 'ports'> & {
  readonly ports: Omit<DemoOptions['ports'], 'app'>;
};

/** A demo CRM and a gateway that has an integration of it, before there is any application. */
export async function startBackends(options: BackendOptions, onClose: OnClose) {
  const directory = await openDirectory(options.dataDirectory, onClose);
  const gatewayUrl = `http://localhost:${await findPort(options.ports.gateway)}`;
  const client = {
    clientId: CLIENT_ID,
    clientSecret: randomBytes(24).toString('base64url'),
    name: 'Sample App',
  };
  const crm = await startDemoCrm({
    port: await findPort(options.ports.crm),
    clients: [{ ...client, redirectUris: [`${gatewayUrl}/oauth/callback`] }],
  });
  onClose(crm.close);
  const setupToken = randomBytes(24).toString('base64url');
  const env = {
    ...(await gatewayEnv({ directory, gatewayUrl, crmUrl: crm.url, setupToken })),
    ...options.env,
  };
  const gateway = startGatewayProcess({ env, directory, ownGroup: true, main: options.main });
  onClose(gateway.stop);
  await waitUntilReady(gatewayUrl, gateway);
  const project = await rememberedProject(directory, () => setUp(gatewayUrl, setupToken));
  const made = { provider: DEMO_PROVIDER, scopes: SCOPES, ...client };
  const integration = await integrate(gatewayUrl, project, made);
  // What an operator enters in the portal of a real provider.
  crm.sendWebhooksTo(CLIENT_ID, integration.webhookUrl);
  return { directory, gatewayUrl, gateway, crm, project, integration };
}

async function openDirectory(kept: string | undefined, onClose: OnClose): Promise<string> {
  if (kept !== undefined) {
    const directory = resolve(kept);
    await mkdir(directory, { recursive: true });
    return directory;
  }
  const directory = await mkdtemp(join(tmpdir(), 'gateway-demo-'));
  // Started by root, the embedded Postgres runs as another user, which has to reach its files.
  await chmod(directory, 0o711);
  onClose(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

type GatewaySettings = { directory: string; gatewayUrl: string; crmUrl: string; setupToken: string };

async function gatewayEnv({ directory, gatewayUrl, crmUrl, setupToken }: GatewaySettings) {
  const catalogDir = join(directory, 'catalog');
  await mkdir(catalogDir, { recursive: true });
  await writeFile(join(catalogDir, `${DEMO_PROVIDER}.yaml`), demoCrmProviderFile(crmUrl));
  return {
    PORT: new URL(gatewayUrl).port,
    PUBLIC_URL: gatewayUrl,
    DATA_DIR: join(directory, 'data'),
    CATALOG_DIR: catalogDir,
    DEMO: 'true',
    SETUP_TOKEN: setupToken,
    // The demo CRM lives on this machine, which no provider of a real gateway may.
    ALLOW_PRIVATE_NETWORKS: 'true',
    LOG_LEVEL: 'warn',
  };
}

/** Set-up happens once in the life of a store; a later run on kept data reads what it gave. */
async function rememberedProject(directory: string, make: () => Promise<DemoProject>): Promise<DemoProject> {
  const file = join(directory, 'demo-project.json');
  if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8'));
  const project = await make();
  await writeFile(file, JSON.stringify(project, null, 2), { mode: 0o600 });
  return project;
}
