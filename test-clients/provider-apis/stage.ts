import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCatalogDir } from '../../test/support/catalog-dir.ts';
import {
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../../test/support/gateway.ts';
import { type ProviderApi, type ProviderApis, startProviderApis } from './server.ts';

const CATALOG = join(import.meta.dirname, '../../src/catalog/providers');
const USER = 'mia';

/** A provider whose client is tried: an entry of the catalog and what a user's connection to it holds. */
export type TriedProvider = {
  readonly id: string;
  readonly credentials: Readonly<Record<string, unknown>>;
  readonly apisAt: (urlOf: ProviderApis['urlOf']) => readonly ProviderApi[];
};

export type ClientStage = {
  readonly apis: ProviderApis;
  readonly gateway: Gateway;
  /** What an application gives to the client in place of the provider's credential. */
  readonly userToken: string;
  /** The token of the same user with a mandate that only reads, at the first 32 of the providers. */
  readonly readingToken: string;
  /** The token of a user who has connected nothing. */
  readonly strangerToken: string;
  /** What an application gives to the client in place of the provider's address. */
  readonly proxyUrl: (provider: string) => string;
  readonly close: () => Promise<void>;
};

/** The providers' hosts, a gateway with the catalog's own entries led to them, and a user connected to each. */
export async function startClientStage(providers: readonly TriedProvider[]): Promise<ClientStage> {
  const cleanUps: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    const apis = await startProviderApis((urlOf) => providers.flatMap(({ apisAt }) => apisAt(urlOf)));
    cleanUps.push(apis.close);
    const entries = providers.map(
      async (provider) => [provider.id, await redirectedEntry(provider, apis)] as const,
    );
    const catalog = await createCatalogDir(Object.fromEntries(await Promise.all(entries)));
    cleanUps.push(catalog.remove);
    const gateway = await startGateway({ catalogDir: catalog.path });
    cleanUps.push(gateway.stop);
    const project = await provision(gateway);
    for (const provider of providers) await connect(gateway, project, provider);
    const proxyUrl = (id: string) => `${gateway.url}/projects/${project.id}/proxy/${id}`;
    const [userToken, strangerToken] = [project.userToken(USER), project.userToken('noah')];
    const readingToken = project.userToken(USER, { claims: { authorization_details: readingAt(providers) } });
    return { apis, gateway, userToken, readingToken, strangerToken, proxyUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A mandate has 32 entries at most. */
const ENTRIES_MAX = 32;

function readingAt(providers: readonly TriedProvider[]) {
  const ids = providers.map(({ id }) => id).slice(0, ENTRIES_MAX);
  return ids.map((provider) => ({ type: 'gateway_access', provider, access: 'read' }));
}

/** The error of a call that must be refused. */
export function findRefusal(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => Promise.reject(new Error('The call was expected to be refused')),
    (error) => error,
  );
}

/** The built-in entry, word for word but for the origins of the API's addresses, which may be a variable. */
async function redirectedEntry({ id, credentials }: TriedProvider, apis: ProviderApis): Promise<string> {
  const entry = await readFile(join(CATALOG, `${id}.yaml`), 'utf8');
  const variables = new Map(Object.entries(Object(credentials.variables)));
  return withoutProof(entry)
    .replace(/^(apiBaseUrl: "?)https:\/\//m, `$1${apis.urlOf('')}`)
    .replace(/^(apiBaseUrl: "?)\{(\w+)\}/m, (_all, before, name) => {
      const { host } = new URL(String(variables.get(name)));
      return `${before}${apis.urlOf(host)}`;
    })
    .replace(/^hosts:\n(?:[ ].*\n)+/m, (hosts) =>
      hosts.replaceAll(/(url: "?)https:\/\//g, `$1${apis.urlOf('')}`),
    );
}

/** The blocks by which a key is proved at the provider's real address, which no test asks. */
function withoutProof(entry: string): string {
  const isByKey = /^auth: (api-key|basic)$/m.test(entry);
  const blocks = entry.split(/^(?=\S)/m);
  const proofs = isByKey ? ['probe:', 'account:'] : ['probe:'];
  return blocks.filter((block) => !proofs.some((name) => block.startsWith(name))).join('');
}

async function connect({ url }: Gateway, project: Project, { id, credentials }: TriedProvider) {
  const bearer = project.apiKey;
  const application = { clientId: 'client-1', clientSecret: 'client-secret-1', scopes: [] };
  const isOAuth = 'accessToken' in credentials;
  const body = { serviceProvider: id, ...(isOAuth && application) };
  const integration = await callApiOk(url, 'POST', '/v1/integrations', { bearer, body });
  const connection = { integrationId: integration.id, userId: USER, credentials };
  await callApiOk(url, 'POST', '/v1/connections', { bearer, body: connection });
}
