import { listPlaceholders } from '../../lib/template.ts';
import { needsClientSecret } from '../facts/client-values.ts';
import type { Placements } from '../facts/file-urls.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import { accessFaults } from './access-rules.ts';
import { accountFaults } from './account-rules.ts';
import { certificateFaults } from './certificate-rules.ts';
import { type Fault, fault } from './fault.ts';
import { loginFaults } from './login-rules.ts';
import { pollResourceFaults } from './poll-rules.ts';
import { probeFaults, proofFaults } from './probe-rules.ts';
import { signingFaults } from './signing-rules.ts';
import { templateFaults, urlFaults } from './template-rules.ts';
import { tenantFaults } from './tenant-rules.ts';
import { patternFaults, variableFaults } from './variable-rules.ts';
import { webhookFaults } from './webhook-rules.ts';

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
    ...accessFaults(file),
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
    readonly ('authorizationUrl' | 'tokenUrl' | 'apiKey' | 'awsSigV4' | 'oauth1' | 'jwtPerCall' | 'wsse')[]
  > = {
    oauth2: ['authorizationUrl', 'tokenUrl'],
    'oauth2-client-credentials': ['tokenUrl'],
    'api-key': ['apiKey'],
    basic: [],
    'aws-sigv4': ['awsSigV4'],
    oauth1: ['oauth1'],
    'jwt-per-call': ['jwtPerCall'],
    wsse: ['wsse'],
    'jwt-bearer': [],
    'token-login': [],
    'github-app': ['authorizationUrl', 'tokenUrl'],
  };
  // The endpoints of an MCP server are found by asking it.
  const fields = file.mcp === undefined ? needed[file.auth] : [];
  const missing = fields
    .filter((field) => file[field] === undefined)
    .map((field) => fault([field], `is needed where auth is ${file.auth}`));
  const owners: Readonly<Record<string, readonly ProviderFile['auth'][]>> = {
    apiKey: ['api-key'],
    basic: ['basic', 'oauth2', 'oauth2-client-credentials'],
    awsSigV4: ['aws-sigv4', 'token-login'],
    oauth1: ['oauth1'],
    jwtPerCall: ['jwt-per-call'],
    wsse: ['wsse'],
  };
  const foreign = Object.entries(owners)
    .filter(([field, kinds]) => Object.hasOwn(file, field) && !kinds.includes(file.auth))
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
