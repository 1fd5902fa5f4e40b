import { placeholdersOf } from '../lib/template.ts';
import { isFreeHost, positionOf, secretUrlsOf, urlsOf } from './file-urls.ts';
import type { ProviderFile } from './provider.schema.ts';
import { isAddressTemplate, positionsIn } from './url-template.ts';

type Fault = { readonly path: readonly PropertyKey[]; readonly reason: string };

/** What a file's shape cannot say: which fields belong together, and which values could do harm. Empty: no fault. */
export function providerFaults(file: ProviderFile, options: { allowPrivateNetworks: boolean }): Fault[] {
  return [
    ...missingFields(file),
    ...keyFaults(file),
    ...urlFaults(file, options.allowPrivateNetworks),
    ...templateFaults(file),
    ...variableFaults(file),
    ...accountFaults(file),
  ];
}

function missingFields(file: ProviderFile): Fault[] {
  const needed: Record<ProviderFile['auth'], readonly ('authorizationUrl' | 'tokenUrl' | 'apiKey')[]> = {
    oauth2: ['authorizationUrl', 'tokenUrl'],
    'oauth2-client-credentials': ['tokenUrl'],
    'api-key': ['apiKey'],
    basic: [],
  };
  const missing = needed[file.auth]
    .filter((field) => file[field] === undefined)
    .map((field) => fault([field], `is needed where auth is ${file.auth}`));
  const foreign = (['apiKey', 'basic'] as const)
    .filter((field) => file[field] !== undefined && file.auth !== (field === 'apiKey' ? 'api-key' : 'basic'))
    .map((field) => fault([field], `does not belong where auth is ${file.auth}`));
  return [...missing, ...foreign];
}

/** A query or a path takes any name, a header only a token (RFC 9110 section 5.1). */
function keyFaults({ apiKey }: ProviderFile): Fault[] {
  if (apiKey?.in !== 'header' || /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(apiKey.name)) return [];
  return [fault(['apiKey', 'name'], 'is not the name of a header field')];
}

function urlFaults(file: ProviderFile, allowPrivateNetworks: boolean): Fault[] {
  return urlsOf(file).flatMap(([field, url]) => {
    const path = field.split('.');
    if (!isAddressTemplate(url))
      return [fault(path, 'must be an address with a plain host, without user or password')];
    if (url.startsWith('http:') && !allowPrivateNetworks) {
      return [fault(path, 'must be https (http needs ALLOW_PRIVATE_NETWORKS=true)')];
    }
    if (URL.parse(probeOf(url)) === null) {
      return [fault(path, 'is not an address')];
    }
    return undeclared(file, path, url, []);
  });
}

/** The template with values that fit anywhere, to see whether it can ever be an address. */
function probeOf(template: string): string {
  return template
    .replace(/^\{[^}]*\}/, 'https://example.com')
    .replace(/:\{[^}]*\}/, ':443')
    .replace(/\{[^}]*\}/g, 'com');
}

/** Values of headers, parameters and credentials may name variables too. */
function templateFaults(file: ProviderFile): Fault[] {
  const credentials = ['accessToken', 'apiKey', 'username', 'password', 'clientId'];
  const renewal = file.refreshWith === 'access_token' ? ['accessToken', 'clientSecret'] : [];
  const maps: [readonly string[], Readonly<Record<string, string>>, readonly string[]][] = [
    [['authorizationParams'], file.authorizationParams, ['clientId', 'nonce']],
    [['tokenParams'], file.tokenParams, ['clientId']],
    [['refreshParams'], file.refreshParams, ['clientId', ...renewal]],
    [
      ['tokenExchange', 'params'],
      file.tokenExchange?.params ?? {},
      ['clientId', 'clientSecret', 'accessToken'],
    ],
    [['revocation', 'extraParams'], file.revocation.extraParams, ['clientId']],
    [['tokenRequest', 'headers'], file.tokenRequest.headers, ['clientId']],
    [['apiHeaders'], file.apiHeaders, credentials],
    [['apiQuery'], file.apiQuery, credentials],
    [['account', 'request', 'headers'], file.account?.request?.headers ?? {}, credentials],
    [['apiKey'], { template: file.apiKey?.template ?? '' }, ['apiKey']],
    [['basic'], { ...file.basic }, ['username', 'password']],
    [['accessTokenHeader'], { template: file.accessTokenHeader.template }, ['accessToken']],
  ];
  return maps.flatMap(([path, values, known]) =>
    Object.entries(values).flatMap(([name, value]) => undeclared(file, [...path, name], value, known)),
  );
}

function undeclared(
  file: ProviderFile,
  path: readonly string[],
  template: string,
  known: readonly string[],
): Fault[] {
  return placeholdersOf(template)
    .filter((name) => !Object.hasOwn(file.variables, name) && !known.includes(name))
    .map((name) => fault(path, `names {${name}}, which is not among the variables`));
}

function variableFaults(file: ProviderFile): Fault[] {
  return Object.entries(file.variables).flatMap(([name, given]) => {
    if (typeof given === 'string') return [];
    const path = ['variables', name];
    if (given.pattern !== undefined && !isPattern(given.pattern)) {
      return [fault([...path, 'pattern'], 'is not a regular expression')];
    }
    const tooLate = knownTooLate(file, name, given.from);
    if (tooLate !== undefined) return [fault([...path, 'from'], tooLate)];
    const isOpen = given.pattern === undefined && given.options === undefined;
    const isForeign = given.from === 'user' || given.from === 'callback';
    if (isOpen && isForeign && isFreeHost(positionOf(name, file)) && isIn(secretUrlsOf(file), name)) {
      return [
        fault(path, 'needs a pattern or options: its value names the host that receives the client secret'),
      ];
    }
    return [];
  });
}

/** A request cannot use what only its own answer, or a later one, tells. */
function knownTooLate(file: ProviderFile, name: string, from: string): string | undefined {
  const isInFirst = isIn([file.authorizationUrl], name);
  if (isInFirst && from !== 'user' && from !== 'integration')
    return 'is not known yet when authorizationUrl is called';
  const isInToken = isIn([file.tokenUrl], name);
  const isLate = from === 'token-response' || from === 'account';
  if (isInToken && isLate) return 'is not known yet when tokenUrl is called';
  if (from === 'account' && isIn([file.account?.request?.url], name)) {
    return 'is not known yet when the account is requested';
  }
  return undefined;
}

function isIn(urls: readonly (string | undefined)[], name: string): boolean {
  return urls.some((url) => url !== undefined && positionsIn(url).has(name));
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(`^(?:${text})$`) instanceof RegExp;
  } catch {
    return false;
  }
}

function accountFaults(file: ProviderFile): Fault[] {
  if (file.account?.request !== undefined) return [];
  const needing = [
    ...(file.account?.id.from === 'request' ? [['account', 'id']] : []),
    ...(file.account?.name?.from === 'request' ? [['account', 'name']] : []),
    ...Object.entries(file.variables)
      .filter(([, given]) => typeof given !== 'string' && given.from === 'account')
      .map(([name]) => ['variables', name]),
  ];
  return needing.map((path) => fault([...path, 'from'], 'needs account.request'));
}

function fault(path: readonly PropertyKey[], reason: string): Fault {
  return { path, reason };
}
