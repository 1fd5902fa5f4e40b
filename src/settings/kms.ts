import { ownMember } from '../lib/own-member.ts';
import { ConfigurationError } from './configuration-error.ts';

/** The key of a key management service, as one entry of ENCRYPTION_KMS names it. `name` is the entry itself. */
export type KmsKey =
  | { readonly kind: 'aws-kms'; readonly name: string; readonly arn: string; readonly region: string }
  | { readonly kind: 'gcp-kms'; readonly name: string; readonly resource: string }
  | {
      readonly kind: 'azure-key-vault';
      readonly name: string;
      readonly vaultUrl: string;
      readonly key: string;
      readonly version: string | undefined;
    }
  | { readonly kind: 'vault-transit'; readonly name: string; readonly mount: string; readonly key: string };

/**
 * What the services' own programs read from the environment, under the names that these use. Their values may be
 * secrets.
 */
export const KMS_VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_ENDPOINT_URL_KMS',
  'AWS_ENDPOINT_URL_STS',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_ROLE_ARN',
  'AWS_ROLE_SESSION_NAME',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
  'AWS_EC2_METADATA_SERVICE_ENDPOINT',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GCE_METADATA_HOST',
  'CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS',
  'AZURE_TENANT_ID',
  'AZURE_CLIENT_ID',
  'AZURE_CLIENT_SECRET',
  'AZURE_FEDERATED_TOKEN_FILE',
  'AZURE_AUTHORITY_HOST',
  'AZURE_POD_IDENTITY_AUTHORITY_HOST',
  'IDENTITY_ENDPOINT',
  'IDENTITY_HEADER',
  'VAULT_ADDR',
  'VAULT_NAMESPACE',
  'VAULT_CACERT',
  'VAULT_TOKEN',
  'VAULT_TOKEN_FILE',
  'VAULT_ROLE_ID',
  'VAULT_SECRET_ID',
  'VAULT_KUBERNETES_ROLE',
  'VAULT_KUBERNETES_TOKEN_FILE',
  'VAULT_AUTH_MOUNT',
] as const;

export type KmsVariables = Readonly<Partial<Record<(typeof KMS_VARIABLES)[number], string>>>;

export type KmsSettings = {
  /** The first one wraps, the others unwrap what was wrapped before. */
  readonly keys: readonly [KmsKey, ...KmsKey[]];
  /** What each wrapped key is bound to; unset: to an id that the store has made. */
  readonly context: string | undefined;
  readonly variables: KmsVariables;
};

const CONTEXT = /^[\x21-\x7e]{1,128}$/;

/** Undefined without ENCRYPTION_KMS. Throws ConfigurationError for an entry that names no key. */
export function kmsFrom(
  env: { readonly ENCRYPTION_KMS?: string | undefined; readonly ENCRYPTION_KMS_CONTEXT?: string | undefined },
  variables: Readonly<Record<string, string | undefined>>,
): KmsSettings | undefined {
  const { ENCRYPTION_KMS: text, ENCRYPTION_KMS_CONTEXT: context } = env;
  if (text === undefined) {
    if (context === undefined) return undefined;
    throw new ConfigurationError(
      'ENCRYPTION_KMS_CONTEXT is of use only beside ENCRYPTION_KMS, which is not set.',
    );
  }
  if (context !== undefined && !CONTEXT.test(context))
    throw new ConfigurationError('ENCRYPTION_KMS_CONTEXT: 1 to 128 printable characters without a space');
  const [first, ...others] = text.split(',').map((entry) => readKmsKey(entry.trim()));
  if (first === undefined) throw new ConfigurationError(`ENCRYPTION_KMS: ${EXPECTED}`);
  const set = KMS_VARIABLES.flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { keys: [first, ...others], context, variables: Object.fromEntries(set) };
}

const EXPECTED =
  'aws-kms:<arn of a key>, gcp-kms:projects/…/locations/…/keyRings/…/cryptoKeys/…, ' +
  'azure-key-vault:https://<vault>/keys/<key>, or vault-transit:<mount>/<key>; several with commas between, the one that wraps first';
const AWS_KEY = /^arn:aws[a-z-]*:kms:([a-z0-9-]{1,40}):\d{12}:(?:key|alias)\/[A-Za-z0-9/_-]{1,256}$/;
const GCP_KEY = /^projects\/[^/\s?#]+\/locations\/[^/\s?#]+\/keyRings\/[^/\s?#]+\/cryptoKeys\/[^/\s?#]+$/;
const AZURE_KEY = /^\/keys\/([A-Za-z0-9-]{1,127})(?:\/([0-9a-f]{32}))?\/?$/;
const TRANSIT_KEY = /^([\w-][\w.-]*(?:\/[\w-][\w.-]*)*)\/([\w-][\w.-]*)$/;

function readKmsKey(name: string): KmsKey {
  const colon = name.indexOf(':');
  const [kind, place] = [name.slice(0, Math.max(colon, 0)), name.slice(colon + 1)];
  const found = ownMember(READERS, kind)?.(name, place);
  // The entry is shown: it names a key and is none.
  if (found === undefined) throw new ConfigurationError(`ENCRYPTION_KMS: ${EXPECTED}; got ${name}`);
  return found;
}

const READERS: Readonly<Record<string, (name: string, place: string) => KmsKey | undefined>> = {
  'aws-kms'(name, arn) {
    const region = AWS_KEY.exec(arn)?.[1];
    return region === undefined ? undefined : { kind: 'aws-kms', name, arn, region };
  },
  'gcp-kms': (name, resource) => (GCP_KEY.test(resource) ? { kind: 'gcp-kms', name, resource } : undefined),
  'azure-key-vault'(name, place) {
    const url = URL.parse(place);
    const [, key, version] = AZURE_KEY.exec(url?.pathname ?? '') ?? [];
    if (url === null || key === undefined || url.search !== '' || url.username !== '') return undefined;
    if (url.protocol !== 'https:' && url.hostname !== '127.0.0.1') return undefined;
    return { kind: 'azure-key-vault', name, vaultUrl: url.origin, key, version };
  },
  'vault-transit'(name, place) {
    const [, mount, key] = TRANSIT_KEY.exec(place) ?? [];
    return mount === undefined || key === undefined ? undefined : { kind: 'vault-transit', name, mount, key };
  },
};
