import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { KmsKey, KmsVariables } from '../../settings/kms.ts';
import type { Outbound } from '../outbound.ts';
import { askJson, jsonBody } from './ask-service.ts';
import { createAzureToken } from './azure-credentials.ts';
import { contextBytes, type KeyContext, type Kms, KmsError, keyFromBase64 } from './kms.ts';

type AzureKey = Extract<KmsKey, { kind: 'azure-key-vault' }>;

const API_VERSION = '7.4';
const operationResult = z.object({ kid: z.string(), value: z.string().min(1) });
const WRAPPED = /^([0-9a-f]{32})\.([A-Za-z0-9_-]+)$/;
const DIGEST_BYTES = 32;

/**
 * Azure Key Vault and Managed HSM: wrapkey and unwrapkey. Neither authenticates a context, so the digest of the context is
 * wrapped together with the key. The version of the key that wrapped goes in front of the text: others do not unwrap it.
 */
export function createAzureKeyVault(
  { vaultUrl, key: keyName, version }: AzureKey,
  deps: { readonly outbound: Outbound; readonly variables: KmsVariables },
): Kms {
  const { outbound, variables } = deps;
  const isHsm = new URL(vaultUrl).hostname.endsWith('.managedhsm.azure.net');
  // A vault has RSA keys; an HSM has AES keys, whose wrapping no holder of a public key can forge.
  const alg = isHsm ? 'A256KW' : 'RSA-OAEP-256';
  const audience = isHsm ? 'https://managedhsm.azure.net' : `https://${audienceOf(vaultUrl)}`;
  const token = createAzureToken({ outbound, variables, audience });

  async function call(path: string, value: string) {
    const message = jsonBody({ alg, value });
    const headers = { ...message.headers, Authorization: `Bearer ${await token()}` };
    const url = `${vaultUrl}/keys/${keyName}/${path}?api-version=${API_VERSION}`;
    return askJson(outbound, { ...message, url, headers }, operationResult);
  }

  return {
    async wrap(key, context) {
      const plain = Buffer.concat([digestOf(context), key]);
      const path = version === undefined ? 'wrapkey' : `${version}/wrapkey`;
      const { kid, value } = await call(path, plain.toString('base64url'));
      const wrapped = `${kid.split('/').at(-1)}.${value}`;
      if (!WRAPPED.test(wrapped)) throw new KmsError('the key has no version', { isTransient: false });
      return wrapped;
    },
    async unwrap(wrapped, context) {
      const [, wrappedBy, text = ''] = WRAPPED.exec(wrapped) ?? [];
      if (wrappedBy === undefined) throw refused();
      const { value } = await call(`${wrappedBy}/unwrapkey`, text);
      const plain = Buffer.from(value, 'base64url');
      const digest = digestOf(context);
      const isOurs = plain.length > DIGEST_BYTES && timingSafeEqual(plain.subarray(0, DIGEST_BYTES), digest);
      if (!isOurs) throw refused();
      return keyFromBase64(plain.subarray(DIGEST_BYTES).toString('base64'));
    },
  };
}

/** `vault.azure.net`, or that of a sovereign cloud (`vault.azure.cn`). */
function audienceOf(vaultUrl: string): string {
  const found = /\.(vault\.(?:azure\.(?:net|cn)|usgovcloudapi\.net))$/.exec(new URL(vaultUrl).hostname);
  return found?.[1] ?? 'vault.azure.net';
}

function digestOf(context: KeyContext): Buffer {
  return createHash('sha256').update(contextBytes(context)).digest();
}

function refused(): KmsError {
  return new KmsError('it was wrapped for another place', { isTransient: false });
}
