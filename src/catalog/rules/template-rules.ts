import { fillPlaceholders, listPlaceholders } from '../../lib/template.ts';
import { listFileUrls } from '../facts/file-urls.ts';
import { isLoginKind } from '../facts/login-kinds.ts';
import { findOriginVariable, isAddressTemplate, positionsIn } from '../facts/url-template.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import { type Fault, fault } from './fault.ts';
import { listLoginNames } from './login-rules.ts';

export function urlFaults(file: ProviderFile, allowPrivateNetworks: boolean): Fault[] {
  return listFileUrls(file).flatMap(([field, url]) => {
    const path = field.split('.');
    if (!isAddressTemplate(url))
      return [fault(path, 'must be an address with a plain host, without user or password')];
    if (url.startsWith('http:') && !allowPrivateNetworks) {
      return [fault(path, 'must be https (http needs ALLOW_PRIVATE_NETWORKS=true)')];
    }
    if (URL.parse(probeOf(url)) === null) {
      return [fault(path, 'is not an address')];
    }
    // An operator types the client id without validation: it may fill a path, never name a host.
    const isClientIdSafe = ['path', 'elsewhere', undefined].includes(positionsIn(url).get('clientId'));
    return undeclared(file, path, url, isClientIdSafe ? ['clientId'] : []);
  });
}

/** The template with values that fit anywhere, to see whether it can ever be an address. */
function probeOf(template: string): string {
  const origin = findOriginVariable(template);
  const rest = origin === undefined ? template : `https://example.com${template.slice(origin.length + 2)}`;
  return fillPlaceholders(rest, (_name, start) => (rest[start - 1] === ':' ? '443' : 'com'));
}

/** Values of headers, parameters and credentials may name variables too. */
export function templateFaults(file: ProviderFile): Fault[] {
  const client = ['clientId', 'clientSecret', 'clientBasic'];
  const credentials = ['accessToken', 'apiKey', 'username', 'password', ...client];
  const revocation = ['clientId', 'clientSecret', 'accessToken'];
  const renewal = file.refreshWith === 'access_token' ? ['accessToken', 'clientSecret'] : [];
  const maps: [readonly string[], Readonly<Record<string, string>>, readonly string[]][] = [
    [['authorizationParams'], file.authorizationParams, ['clientId', 'nonce']],
    [
      ['tokenParams'],
      file.tokenParams,
      ['clientId', 'redirectUrl', ...(isLoginKind(file.auth) ? listLoginNames(file) : [])],
    ],
    [['refreshParams'], file.refreshParams, ['clientId', 'redirectUrl', ...renewal]],
    [
      ['tokenExchange', 'params'],
      file.tokenExchange?.params ?? {},
      ['clientId', 'clientSecret', 'accessToken'],
    ],
    [['revocation', 'extraParams'], file.revocation.extraParams, revocation],
    [['revocation', 'headers'], file.revocation.headers, revocation],
    [['tokenRequest', 'headers'], file.tokenRequest.headers, ['clientId']],
    [['refreshRequest', 'headers'], file.refreshRequest.headers ?? {}, ['clientId']],
    [['clientAssertion'], assertionTemplates(file), ['clientId', 'tokenUrl', ...listLoginNames(file)]],
    [['callback', 'mustMatch'], file.callback.mustMatch, []],
    [[], { redirectUriTemplate: file.redirectUriTemplate ?? '', issuer: file.issuer ?? '' }, []],
    [['apiHeaders'], file.apiHeaders, credentials],
    [['apiQuery'], file.apiQuery, credentials],
    [['account', 'request', 'headers'], file.account?.request?.headers ?? {}, credentials],
    [['tenants', 'request', 'headers'], file.tenants?.request.headers ?? {}, credentials],
    [['probe', 'headers'], file.probe?.headers ?? {}, credentials],
    [['refusals'], consentTemplates(file), ['clientId']],
    [['apiKey'], { template: file.apiKey?.template ?? '' }, ['apiKey']],
    [['basic'], { ...file.basic }, file.auth === 'basic' ? ['username', 'password'] : ['accessToken']],
    [['accessTokenHeader'], { template: file.accessTokenHeader.template }, ['accessToken']],
  ];
  return maps.flatMap(([path, values, known]) =>
    Object.entries(values).flatMap(([name, value]) => undeclared(file, [...path, name], value, known)),
  );
}

function consentTemplates({ refusals }: ProviderFile): Record<string, string> {
  return Object.fromEntries(refusals.map(({ consentUrl = '' }, index) => [index, consentUrl]));
}

function assertionTemplates({ clientAssertion }: ProviderFile): Record<string, string> {
  if (clientAssertion === undefined) return {};
  const { issuer, subject, audience, keyId = '', header } = clientAssertion;
  return { issuer, subject, audience, keyId, ...header };
}

function undeclared(
  file: ProviderFile,
  path: readonly string[],
  template: string,
  known: readonly string[],
): Fault[] {
  return listPlaceholders(template)
    .filter((name) => !Object.hasOwn(file.variables, name) && !known.includes(name))
    .map((name) => fault(path, `names {${name}}, which is not among the variables`));
}
