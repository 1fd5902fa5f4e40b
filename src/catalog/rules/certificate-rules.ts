import type { ProviderFile } from '../schema/provider.schema.ts';
import type { Fault } from './fault.ts';

type Given = Exclude<ProviderFile['variables'][string], string>;

/** Kinds that have no request for tokens, so that all their requests go to the API. */
const WITHOUT_TOKENS: readonly ProviderFile['auth'][] = [
  'api-key',
  'basic',
  'aws-sigv4',
  'jwt-per-call',
  'wsse',
];

/** What is wrong with how a file has the gateway show a client certificate. */
export function certificateFaults(file: ProviderFile): Fault[] {
  const { clientCertificate, auth, mcp, tokenEndpointAuth, refreshRequest } = file;
  const isByCertificate = [tokenEndpointAuth, refreshRequest.tokenEndpointAuth].includes('tls_client_auth');
  if (isByCertificate && clientCertificate?.at.includes('token') !== true)
    return [
      { path: ['tokenEndpointAuth'], reason: 'is tls_client_auth, which needs clientCertificate at token' },
    ];
  if (clientCertificate === undefined) return [];
  if (mcp !== undefined) return [{ path: ['clientCertificate'], reason: 'does not belong where mcp is' }];
  if (WITHOUT_TOKENS.includes(auth) && !clientCertificate.at.includes('api'))
    return [
      { path: ['clientCertificate', 'at'], reason: `must name api: auth ${auth} has no other requests` },
    ];
  const { certificate, privateKey, passphrase } = clientCertificate;
  const ofVariables = Object.entries({ certificate, privateKey, passphrase }).flatMap(([field, template]) => {
    if (template === undefined) return [];
    const reason = reasonAgainst(field, template, variableOf(file, template));
    return reason === undefined ? [] : [{ path: ['clientCertificate', field], reason }];
  });
  return ofVariables.length > 0 ? ofVariables : ownerFaults(file, [certificate, privateKey, passphrase]);
}

function variableOf({ variables }: ProviderFile, template: string): Given | undefined {
  const name = template.slice(1, -1);
  const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
  return typeof given === 'object' ? given : undefined;
}

const INPUT: Readonly<Record<string, Given['input']>> = {
  certificate: 'certificate',
  privateKey: 'private-key',
};

function reasonAgainst(field: string, template: string, given: Given | undefined): string | undefined {
  if (given === undefined) return `names ${template}, which is not among the variables`;
  const input = INPUT[field];
  if (given.input !== input) return `names ${template}, which must be input: ${input ?? 'a text, no file'}`;
  if (given.from !== 'user' && given.from !== 'integration')
    return `names ${template}, which must be from: user or from: integration`;
  return given.secret ? undefined : `names ${template}, which must be secret: true`;
}

/** Certificate and key are judged together where they are given, and one alone is of no use. */
function ownerFaults(file: ProviderFile, templates: readonly (string | undefined)[]): Fault[] {
  const given = templates.flatMap((template) =>
    template === undefined ? [] : (variableOf(file, template) ?? []),
  );
  const owners = new Set(given.map(({ from }) => from));
  if (owners.size > 1)
    return [
      { path: ['clientCertificate'], reason: 'needs its variables from the same party: user or integration' },
    ];
  const [certificate, privateKey] = given;
  if (certificate?.optional === privateKey?.optional) return [];
  return [
    { path: ['clientCertificate'], reason: 'needs certificate and key to be both optional, or neither' },
  ];
}
