import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { signJwt } from '../../lib/sign-jwt.ts';
import type { KmsVariables } from '../../settings/kms.ts';
import type { Outbound } from '../outbound.ts';
import { askJson, formBody } from './ask-service.ts';
import { readCredentialFile } from './credential-files.ts';
import { keepCredential, type ShortLived } from './kept-credential.ts';
import { KmsError } from './kms.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloudkms';
const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const JWT_RULES = { alg: 'RS256', lifetimeSeconds: 3600, issuedSecondsAgo: 0 } as const;

const serviceAccount = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.url(),
});
const accessToken = z.object({ access_token: z.string().min(1), expires_in: z.number() }).transform(
  (answer): ShortLived<string> => ({
    value: answer.access_token,
    expiresAtMs: Date.now() + answer.expires_in * 1000,
  }),
);

type Input = { readonly outbound: Outbound; readonly variables: KmsVariables };

/** An access token of the service account in GOOGLE_APPLICATION_CREDENTIALS, else of the machine's. */
export function createGcpToken(input: Input): () => Promise<string> {
  const file = input.variables.GOOGLE_APPLICATION_CREDENTIALS;
  return keepCredential(() => (file === undefined ? askMachine(input) : askAsAccount(input, file)));
}

async function askAsAccount({ outbound }: Input, file: string): Promise<ShortLived<string>> {
  const account = readAccount(await readCredentialFile('GOOGLE_APPLICATION_CREDENTIALS', file));
  const { client_email: email, private_key: pem, private_key_id: kid, token_uri: url } = account;
  const assertion = signWith(pem, { iss: email, scope: SCOPE, aud: url }, kid === undefined ? {} : { kid });
  return askJson(outbound, { url, ...formBody({ grant_type: JWT_GRANT, assertion }) }, accessToken);
}

function readAccount(text: string): z.infer<typeof serviceAccount> {
  try {
    return serviceAccount.parse(JSON.parse(text));
  } catch {
    throw unusable('it is no key of a service account');
  }
}

function signWith(pem: string, claims: object, header: object): string {
  try {
    const signed = signJwt(
      JWT_RULES,
      { claims: { ...claims }, header: { ...header } },
      createPrivateKey(pem),
      Date.now(),
    );
    if (signed !== undefined) return signed;
  } catch {
    // OpenSSL's message may quote what it could not read.
  }
  throw unusable('its private key cannot be used');
}

async function askMachine({ outbound, variables }: Input): Promise<ShortLived<string>> {
  const host = variables.GCE_METADATA_HOST ?? 'metadata.google.internal';
  const path = '/computeMetadata/v1/instance/service-accounts/default/token';
  return askJson(
    outbound,
    { url: `http://${host}${path}`, headers: { 'Metadata-Flavor': 'Google' } },
    accessToken,
  );
}

function unusable(reason: string): KmsError {
  return new KmsError(`GOOGLE_APPLICATION_CREDENTIALS: ${reason}`, { isTransient: false });
}
