import { listCallTemplateNames, listTexts } from '../../lib/call-template.ts';
import { listPlaceholders } from '../../lib/template.ts';
import type { ProviderFile, VariablePosition } from '../schema/provider.schema.ts';
import { sendsClientSecret } from './client-values.ts';
import { isLoginKind } from './login-kinds.ts';
import { pickMostSensitive, positionsIn } from './url-template.ts';

type Addresses = Pick<
  ProviderFile,
  | 'authorizationUrl'
  | 'tokenUrl'
  | 'refreshUrl'
  | 'revocationUrl'
  | 'apiBaseUrl'
  | 'hosts'
  | 'probe'
  | 'tokenExchange'
  | 'oauth1'
  | 'account'
  | 'mcp'
  | 'tenants'
  | 'login'
  | 'logout'
  | 'installation'
>;

/** Every URL template of a file, or of the entry made of it, with its field's name. */
export function listFileUrls(file: Addresses): [field: string, url: string][] {
  const {
    authorizationUrl,
    tokenUrl,
    refreshUrl,
    revocationUrl,
    apiBaseUrl,
    tokenExchange,
    account,
    mcp,
    tenants,
  } = file;
  const fields = { authorizationUrl, tokenUrl, refreshUrl, revocationUrl, apiBaseUrl };
  const urls = Object.entries(fields).flatMap(([field, url]): [string, string][] =>
    url ? [[field, url]] : [],
  );
  if (tokenExchange) urls.push(['tokenExchange.url', tokenExchange.url]);
  if (file.oauth1?.requestTokenUrl) urls.push(['oauth1.requestTokenUrl', file.oauth1.requestTokenUrl]);
  for (const [name, { url }] of Object.entries(file.hosts)) urls.push([hostField(name), url]);
  if (file.probe?.url) urls.push(['probe.url', file.probe.url]);
  if (account?.request) urls.push(['account.request.url', account.request.url]);
  if (mcp) urls.push(['mcp.url', mcp.url]);
  if (mcp?.registrationUrl) urls.push(['mcp.registrationUrl', mcp.registrationUrl]);
  if (tenants) urls.push(['tenants.request.url', tenants.request.url]);
  return [...urls, ...loginUrlsOf(file)];
}

/** The addresses at which the gateway logs in and out. */
function loginUrlsOf({ login, logout, installation }: Pick<Addresses, 'login' | 'logout' | 'installation'>) {
  const steps = login?.steps ?? [];
  const urls = steps.map(({ url }, index): [string, string] => [`login.steps.${index}.url`, url]);
  if (login?.identity) urls.push(['login.identity.url', login.identity.url]);
  if (login?.refresh) urls.push(['login.refresh.url', login.refresh.url]);
  if (logout) urls.push(['logout.url', logout.url]);
  if (installation) urls.push(['installation.list.url', installation.list.url]);
  return urls;
}

function hostField(name: string): string {
  return `hosts.${name}.url`;
}

/** Where the variables of a file stand in its URLs, read once for all of them. */
export type Placements = {
  /** The most sensitive place that a variable has in any URL; `elsewhere` where it has none. */
  readonly positionOf: (name: string) => VariablePosition;
  /** True where the URL of the field names the variable. */
  readonly isIn: (field: string, name: string) => boolean;
  /** True where the integration's own credentials are sent to a URL that names the variable. */
  readonly isInSecretUrl: (name: string) => boolean;
};

/** Reads every URL of a file for the places of its variables. */
export function placementsIn(file: ProviderFile): Placements {
  const secretFields = new Set(secretFieldsOf(file));
  const named = new Map<string, Set<string>>();
  const positions = new Map<string, VariablePosition[]>();
  for (const [field, url] of listFileUrls(file)) {
    const found = positionsIn(url);
    named.set(field, new Set(found.keys()));
    for (const [name, position] of found) positions.set(name, [...(positions.get(name) ?? []), position]);
  }
  const isIn = (field: string, name: string) => named.get(field)?.has(name) ?? false;
  return {
    positionOf: (name) => pickMostSensitive(positions.get(name) ?? []),
    isIn,
    isInSecretUrl: (name) => [...secretFields].some((field) => isIn(field, name)),
  };
}

/** Fields of the URLs that the integration's own credentials are sent to. */
function secretFieldsOf(file: ProviderFile): string[] {
  const ofLogin = loginUrlsOf(file).map(([field]) => field);
  // A key or a password of the user's own goes where that user says.
  if (isLoginKind(file.auth) && !takesOperatorsValues(file)) return [];
  const getsSecrets = sendsClientSecret(file) || sendsOperatorsSecret(file);
  const ofApi = getsSecrets
    ? [
        'apiBaseUrl',
        'account.request.url',
        'tenants.request.url',
        'probe.url',
        ...Object.keys(file.hosts).map(hostField),
      ]
    : [];
  const ofTokens = ['tokenUrl', 'refreshUrl', 'revocationUrl', 'tokenExchange.url', 'oauth1.requestTokenUrl'];
  return [...ofTokens, 'mcp.url', 'mcp.registrationUrl', ...ofLogin, ...ofApi];
}

/** True where a log-in carries the integration's client secret, or a secret variable of its operator's. */
function takesOperatorsValues({ variables, jwt, login, logout, tokenParams }: ProviderFile): boolean {
  const named = new Set(listTexts([jwt, login, logout, tokenParams]).flatMap(listCallTemplateNames));
  if (named.has('clientSecret')) return true;
  return [...named].some((name) => {
    const owner = name.split('.')[0] ?? name;
    const given = Object.hasOwn(variables, owner) ? variables[owner] : undefined;
    return typeof given === 'object' && given.secret && given.from === 'integration';
  });
}

/** True where calls of the API carry a secret variable that all connections of an integration share. */
function sendsOperatorsSecret(file: ProviderFile): boolean {
  const { variables, apiHeaders, apiQuery, account, probe, tenants } = file;
  const requests = [account?.request, probe, tenants?.request];
  const ofRequests = requests.map((request) => request?.headers ?? {});
  const templates = [apiHeaders, apiQuery, ...ofRequests].flatMap(Object.values<string>);
  const named = new Set(templates.flatMap(listPlaceholders));
  return Object.entries(variables).some(
    ([name, given]) =>
      typeof given !== 'string' && given.secret && given.from === 'integration' && named.has(name),
  );
}

/** True where a value decides alone which host is called. */
export function isFreeHost(position: VariablePosition): boolean {
  return position === 'host' || position === 'origin';
}
