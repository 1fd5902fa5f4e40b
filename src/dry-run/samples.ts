import { isSignedKind, sendsUsersToProvider } from '../catalog/facts/auth-kinds.ts';
import { needsClientSecret } from '../catalog/facts/client-values.ts';
import { createStandIns, type StandIns, sampleVariables } from '../catalog/facts/placeholders.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { buildProbe } from '../oauth/probe.ts';
import { readSampleFiles } from './sample-files.ts';

/** What a connection of the provider would have, all of it stood in for. */
export type Samples = {
  readonly standIns: StandIns;
  readonly variables: Readonly<Record<string, string>>;
  /** Fill the templates of API calls. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
};

/** Stand-ins for everything that the provider's requests are made of. */
export async function readSamples(provider: Provider): Promise<Samples> {
  const standIns = createStandIns();
  const { values: typed, missing } = sampleVariables(provider, standIns);
  const files = await readSampleFiles(provider, standIns);
  const values = { ...typed, ...files };
  const names = {
    oauth2: ['accessToken'],
    'oauth2-client-credentials': ['accessToken'],
    'api-key': ['apiKey'],
    basic: ['username', 'password'],
    'aws-sigv4': [],
    oauth1: ['accessToken'],
    'jwt-per-call': [],
    wsse: [],
    'jwt-bearer': ['accessToken'],
    'token-login': ['accessToken'],
    'github-app': ['accessToken'],
  }[provider.auth];
  return {
    standIns,
    variables: values,
    credentials: {
      ...Object.fromEntries([...names, 'clientId'].map((name) => [name, standIns.of(name)])),
      ...(needsClientSecret(provider) && {
        clientSecret: standIns.of('clientSecret'),
        clientBasic: standIns.of('base64(clientId:clientSecret)'),
        accessTokenProof: standIns.of('HMAC-SHA256 of accessToken'),
      }),
    },
    notes: [
      ...missing
        .filter((name) => !Object.hasOwn(files, name))
        .map(
          (name) =>
            `No value of {${name}} is known that its rule allows: give it an example to see its requests.`,
        ),
      ...certificateNotes(provider),
      ...proofNotes(provider),
    ],
  };
}

/** Nothing is asked with a credential that a person types, and its author has not said why. */
function proofNotes(provider: Provider): string[] {
  const isTyped = provider.auth === 'api-key' || provider.auth === 'basic';
  const isSigned = isSignedKind(provider.auth) && !sendsUsersToProvider(provider);
  if ((!isTyped && !isSigned) || provider.noProbe !== undefined || buildProbe(provider) !== undefined)
    return [];
  return [
    'Nothing proves the credential, so any key will connect, a wrong one too: give it a `probe` or an account.request, or say in `noProbe` why there is no request that could.',
  ];
}

function certificateNotes({ clientCertificate }: Provider): string[] {
  if (clientCertificate === undefined) return [];
  const places = { token: 'token requests and revocations', api: 'calls of the API' };
  const shown = clientCertificate.at.map((place) => places[place]).join(', and for ');
  return [`TLS handshakes for ${shown} show the client certificate ${clientCertificate.certificate}.`];
}
