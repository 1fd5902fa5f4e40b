import { fillPlaceholders, listPlaceholders } from '../../lib/template.ts';
import { needsClientSecret } from '../facts/client-values.ts';
import { isFreeHost, listFileUrls, type Placements } from '../facts/file-urls.ts';
import { isLoginKind } from '../facts/login-kinds.ts';
import { compilePattern } from '../facts/pattern.ts';
import { findOriginVariable, isAddressTemplate, positionsIn } from '../facts/url-template.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import { certificateFaults } from './certificate-rules.ts';
import { listLoginNames, loginFaults } from './login-rules.ts';
import { pollResourceFaults } from './poll-rules.ts';
import { probeFaults, proofFaults } from './probe-rules.ts';
import { signingFaults } from './signing-rules.ts';
import { tenantFaults } from './tenant-rules.ts';
import { webhookFaults } from './webhook-rules.ts';

type Fault = { readonly path: readonly PropertyKey[]; readonly reason: string };

/** Checks what the schema cannot: which fields belong together, and which values could do harm. Empty: no fault. */
export function providerFaults(
  file: ProviderFile,
  placements: Placements,
  options: { allowPrivateNetworks: boolean; hasKnownPatterns?: boolean; isProofNeeded?: boolean },
): Fault[] {
  return [
    ...missingFields(file),
    ...keyFaults(file),
    ...urlFaults(file, options.allowPrivateNetworks),
    ...templateFaults(file),
    ...(options.hasKnownPatterns ? [] : patternFaults(file)),
    ...variableFaults(file, placements),
    ...accountFaults(file),
    ...tenantFaults(file),
    ...probeFaults(file),
    ...(options.isProofNeeded ? proofFaults(file) : []),
    ...flowFaults(file),
    ...mcpFaults(file),
    ...loginFaults(file),
    ...webhookFaults(file, options.allowPrivateNetworks),
    ...pollFaults(file),
    ...signingFaults(file),
    ...certificateFaults(file),
  ];
}

function pollFaults({ polls, variables }: ProviderFile): Fault[] {
  return Object.entries(polls).flatMap(([name, resource]) =>
    pollResourceFaults(resource, Object.keys(variables)).map(({ path, reason }) =>
      fault(['polls', name, ...path], reason),
    ),
  );
}

function missingFields(file: ProviderFile): Fault[] {
  const needed: Record<
    ProviderFile['auth'],
    readonly ('authorizationUrl' | 'tokenUrl' | 'apiKey' | 'awsSigV4' | 'oauth1' | 'jwtPerCall')[]
  > = {
    oauth2: ['authorizationUrl', 'tokenUrl'],
    'oauth2-client-credentials': ['tokenUrl'],
    'api-key': ['apiKey'],
    basic: [],
    'aws-sigv4': ['awsSigV4'],
    oauth1: ['oauth1'],
    'jwt-per-call': ['jwtPerCall'],
    'jwt-bearer': [],
    'token-login': [],
    'github-app': ['authorizationUrl', 'tokenUrl'],
  };
  // The endpoints of an MCP server are found by asking it.
  const fields = file.mcp === undefined ? needed[file.auth] : [];
  const missing = fields
    .filter((field) => file[field] === undefined)
    .map((field) => fault([field], `is needed where auth is ${file.auth}`));
  const owners = {
    ...{ apiKey: 'api-key', basic: 'basic', awsSigV4: 'aws-sigv4' },
    ...{ oauth1: 'oauth1', jwtPerCall: 'jwt-per-call' },
  } as const;
  const foreign = Object.entries(owners)
    .filter(([field, auth]) => Object.hasOwn(file, field) && file.auth !== auth)
    .map(([field]) => fault([field], `does not belong where auth is ${file.auth}`));
  return [...missing, ...foreign];
}

/** Who else is asked than the operator must not choose the server that is asked for endpoints. */
function mcpFaults({ auth, mcp, variables, clientAssertion }: ProviderFile): Fault[] {
  if (mcp === undefined) return [];
  if (auth !== 'oauth2') return [fault(['mcp'], `does not belong where auth is ${auth}`)];
  if (clientAssertion !== undefined) return [fault(['clientAssertion'], 'does not belong where mcp is')];
  return (['url', 'registrationUrl'] as const).flatMap((field) =>
    listPlaceholders(mcp[field] ?? '')
      .filter((name) => {
        const given = variables[name];
        return given !== undefined && (typeof given === 'string' || given.from !== 'integration');
      })
      .map((name) => fault(['mcp', field], `names {${name}}, which must be from: integration`)),
  );
}

/** A query or a path takes any name, a header only a token (RFC 9110 section 5.1). */
function keyFaults({ apiKey }: ProviderFile): Fault[] {
  if (apiKey?.in !== 'header' || /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(apiKey.name)) return [];
  return [fault(['apiKey', 'name'], 'is not the name of a header field')];
}

function urlFaults(file: ProviderFile, allowPrivateNetworks: boolean): Fault[] {
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
function templateFaults(file: ProviderFile): Fault[] {
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
    [['basic'], { ...file.basic }, ['username', 'password']],
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

/** Instructions of all patterns of a file together: a form with all of them filled in is judged in 20 ms at worst. */
const PATTERNS_SIZE_MAX = 1_000;
/** Compiling a bad pattern costs as much as compiling a good one. */
const PATTERN_FAULTS_MAX = 3;

/** Every pattern must compile, and together they must stay cheap to run. */
function patternFaults({ variables, account }: ProviderFile): Fault[] {
  const patterns: [path: readonly string[], pattern: string | undefined][] = [
    ...Object.entries(variables).map(([name, given]): [string[], string | undefined] => [
      ['variables', name, 'pattern'],
      typeof given === 'string' ? undefined : given.pattern,
    ]),
    ...Object.entries(variables).map(([name, given]): [string[], string | undefined] => [
      ['variables', name, 'part'],
      typeof given === 'string' ? undefined : given.part,
    ]),
    ...Object.entries(variables).flatMap(([name, given]): [string[], string | undefined][] =>
      typeof given === 'string'
        ? []
        : (given.unusable ?? []).map(({ pattern }, index) => [
            ['variables', name, 'unusable', String(index), 'pattern'],
            pattern,
          ]),
    ),
    [['account', 'id', 'pattern'], account?.id.pattern],
    [['account', 'name', 'pattern'], account?.name?.pattern],
  ];
  const faults: Fault[] = [];
  let sizeLeft = PATTERNS_SIZE_MAX;
  for (const [path, text] of patterns) {
    if (text === undefined) continue;
    const compiled = compilePattern(text);
    if (!compiled.ok) faults.push(fault(path, compiled.reason));
    if (faults.length === PATTERN_FAULTS_MAX) return faults;
    if (compiled.ok) sizeLeft -= compiled.pattern.size;
    if (sizeLeft >= 0) continue;
    // What comes after is not even compiled.
    const reason = 'repeats too much, together with the patterns before it: allow fewer characters';
    return [...faults, fault(path, reason)];
  }
  return faults;
}

/** Where a value stands in a text of the provider's, of which it may be a part. */
const READ_FROM_TEXT: readonly string[] = ['callback', 'token-response', 'account'];

function variableFaults(file: ProviderFile, placements: Placements): Fault[] {
  return Object.entries(file.variables).flatMap(([name, given]) => {
    const path = ['variables', name];
    if (isReserved(name, file)) return [fault(path, 'is a name that the gateway itself fills in')];
    if (typeof given === 'string') return [];
    if (given.from === 'application' && given.secret)
      return [fault(path, 'is the application’s word, which is kept in plain: it cannot be secret')];
    if (given.part !== undefined && !READ_FROM_TEXT.includes(given.from))
      return [fault([...path, 'part'], `belongs where from is one of ${READ_FROM_TEXT.join(', ')}`)];
    const tooLate = explainLateValue(placements, name, given.from);
    if (tooLate !== undefined) return [fault([...path, 'from'], tooLate)];
    const isOpen = given.pattern === undefined && given.options === undefined;
    const isForeign = given.from === 'user' || given.from === 'application' || given.from === 'callback';
    const isHost = isFreeHost(placements.positionOf(name));
    if (isOpen && isForeign && isHost && placements.isInSecretUrl(name)) {
      return [
        fault(
          path,
          'needs a pattern or options: its value names the host that receives secrets of the integration',
        ),
      ];
    }
    return [];
  });
}

const GATEWAY_VALUES = [
  'accessToken',
  'accessTokenProof',
  'refreshToken',
  'clientId',
  'clientSecret',
  'clientBasic',
  'redirectUrl',
  'tokenUrl',
  'nonce',
  'authorizationServer',
];

/** What templates of a log-in take beside them. */
const LOGIN_VALUES = ['jwt', 'random', 'now', 'scopes'];

/** What stands beside the variables in templates must not be one of them. */
function isReserved(name: string, { auth }: ProviderFile): boolean {
  if (GATEWAY_VALUES.includes(name)) return true;
  if (isLoginKind(auth)) return LOGIN_VALUES.includes(name) || /^step\d(?:\.|$)/.test(name);
  if (auth === 'basic') return name === 'username' || name === 'password';
  return auth === 'api-key' && name === 'apiKey';
}

/** A request cannot use a value that only its own answer, or a later one, contains. */
function explainLateValue({ isIn }: Placements, name: string, from: string): string | undefined {
  const isKnown = from === 'user' || from === 'integration' || from === 'application';
  if (isIn('authorizationUrl', name) && !isKnown) return 'is not known yet when authorizationUrl is called';
  const isLate = from === 'token-response' || from === 'account' || from === 'tenant';
  if (isLate && isIn('login.steps.0.url', name))
    return 'is not known yet when the first request of the log-in is sent';
  if (isLate && isIn('tokenUrl', name)) return 'is not known yet when tokenUrl is called';
  if (from === 'account' && isIn('account.request.url', name)) {
    return 'is not known yet when the account is requested';
  }
  if (from === 'tenant' && (isIn('account.request.url', name) || isIn('tenants.request.url', name))) {
    return 'is not known yet when the account and the tenants are requested';
  }
  if (from === 'account' && isIn('probe.url', name)) return 'is not known yet when the credential is proved';
  return undefined;
}

function accountFaults(file: ProviderFile): Fault[] {
  const { account } = file;
  const fields = [['id', account?.id] as const, ['name', account?.name] as const];
  const ofFields = fields.flatMap(([name, field]) => {
    if (field === undefined) return [];
    const unknown = [field.path].flat().filter((path) => !isVariablePath(file, path));
    if (field.from !== 'variable' || unknown.length === 0) return [];
    return [
      fault(['account', name, 'path'], `names ${unknown.join(', ')}, which is not among the variables`),
    ];
  });
  const request = account?.request;
  if (request === undefined) return [...ofFields, ...requestNeeded(file)];
  if (request.body === undefined || request.method === 'POST') return ofFields;
  return [...ofFields, fault(['account', 'request', 'body'], 'needs method: POST')];
}

/** A variable, or what stands in one that is a pasted file. */
function isVariablePath(file: ProviderFile, path: string): boolean {
  return Object.hasOwn(file.variables, path) || listLoginNames(file).includes(path);
}

function requestNeeded(file: ProviderFile): Fault[] {
  const needing = [
    ...(file.account?.id.from === 'request' ? [['account', 'id']] : []),
    ...(file.account?.name?.from === 'request' ? [['account', 'name']] : []),
    ...Object.entries(file.variables)
      .filter(([, given]) => typeof given !== 'string' && given.from === 'account')
      .map(([name]) => ['variables', name]),
  ];
  return needing.map((path) => fault([...path, 'from'], 'needs account.request'));
}

/** Fields of an authorization that make sense only together. */
function flowFaults(file: ProviderFile): Fault[] {
  const renewal = Object.values(file.refreshParams).some((value) => value.includes('{accessToken}'));
  const isRenewed = file.refreshWith === 'access_token';
  const faults: [boolean, readonly string[], string][] = [
    [isRenewed && !renewal, ['refreshParams'], 'must name {accessToken} where refreshWith is access_token'],
    [
      needsClientSecret(file) && file.clientAssertion !== undefined,
      ['clientAssertion'],
      'makes the client secret a private key, which API calls must not carry or prove',
    ],
    [
      file.issuerAlwaysSent && file.issuer === undefined,
      ['issuerAlwaysSent'],
      'needs the issuer to compare with',
    ],
    [
      // Follow Up Boss calls it auth_code.
      !file.responseType.split(' ').some((type) => type === 'code' || type === 'auth_code'),
      ['responseType'],
      'must ask for a code: no other response is read',
    ],
  ];
  return faults.flatMap(([isFault, path, reason]) => (isFault ? [fault(path, reason)] : []));
}

function fault(path: readonly PropertyKey[], reason: string): Fault {
  return { path, reason };
}
