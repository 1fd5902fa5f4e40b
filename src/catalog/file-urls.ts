import { placeholdersOf } from '../lib/template.ts';
import { sendsClientSecret } from './client-values.ts';
import type { ProviderFile, VariablePosition } from './provider.schema.ts';
import { mostDelicate, positionsIn } from './url-template.ts';

type Addresses = Pick<
  ProviderFile,
  | 'authorizationUrl'
  | 'tokenUrl'
  | 'refreshUrl'
  | 'revocationUrl'
  | 'apiBaseUrl'
  | 'tokenExchange'
  | 'account'
>;

/** Every URL template of a file, or of the entry made of it, with its field's name. */
export function urlsOf(file: Addresses): [field: string, url: string][] {
  const { authorizationUrl, tokenUrl, refreshUrl, revocationUrl, apiBaseUrl, tokenExchange, account } = file;
  const fields = { authorizationUrl, tokenUrl, refreshUrl, revocationUrl, apiBaseUrl };
  const urls = Object.entries(fields).flatMap(([field, url]): [string, string][] =>
    url ? [[field, url]] : [],
  );
  if (tokenExchange) urls.push(['tokenExchange.url', tokenExchange.url]);
  if (account?.request) urls.push(['account.request.url', account.request.url]);
  return urls;
}

/** The URLs that the integration's own credentials are sent to. */
export function secretUrlsOf(file: ProviderFile): string[] {
  const isApiTold = sendsClientSecret(file) || sendsOperatorsSecret(file);
  const ofApi = isApiTold ? [file.apiBaseUrl, file.account?.request?.url] : [];
  return [file.tokenUrl, file.refreshUrl, file.revocationUrl, file.tokenExchange?.url, ...ofApi].filter(
    (url) => url !== undefined,
  );
}

/** True where calls of the API carry a secret variable that all connections of an integration share. */
function sendsOperatorsSecret({ variables, apiHeaders, apiQuery, account }: ProviderFile): boolean {
  const templates = [apiHeaders, apiQuery, account?.request?.headers ?? {}].flatMap(Object.values<string>);
  const named = new Set(templates.flatMap(placeholdersOf));
  return Object.entries(variables).some(
    ([name, given]) =>
      typeof given !== 'string' && given.secret && given.from === 'integration' && named.has(name),
  );
}

/** True where a value decides alone which host is called. */
export function isFreeHost(position: VariablePosition): boolean {
  return position === 'host' || position === 'origin';
}

/** The most delicate place that a variable has in any URL of the file. */
export function positionOf(name: string, file: ProviderFile): VariablePosition {
  const positions = urlsOf(file).map(([, url]) => positionsIn(url).get(name));
  return mostDelicate(positions.filter((position) => position !== undefined));
}
