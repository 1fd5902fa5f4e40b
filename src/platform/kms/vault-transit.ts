import { z } from 'zod';
import type { KmsKey, KmsVariables } from '../../settings/kms.ts';
import type { Outbound } from '../outbound.ts';
import { askJson, jsonBody } from './ask-service.ts';
import { contextBytes, type KeyContext, type Kms, KmsError, keyFromBase64 } from './kms.ts';
import { createVaultToken } from './vault-login.ts';

type TransitKey = Extract<KmsKey, { kind: 'vault-transit' }>;

const encrypted = z.object({ data: z.object({ ciphertext: z.string().min(1) }) });
const decrypted = z.object({ data: z.object({ plaintext: z.string() }) });

/**
 * The transit engine of Vault and OpenBao. The context is the associated data of an AEAD key (aes256-gcm96, the default,
 * or chacha20-poly1305); the key must not be a derived one.
 */
export function createVaultTransit(
  { mount, key: keyName }: TransitKey,
  deps: { readonly outbound: Outbound; readonly variables: KmsVariables },
): Kms {
  const { outbound, variables } = deps;
  const { VAULT_ADDR: address, VAULT_NAMESPACE: namespace } = variables;
  if (address === undefined || !URL.canParse(address))
    throw new KmsError('VAULT_ADDR: the address of the server, for example https://vault.example.com:8200', {
      isTransient: false,
    });
  const base = new URL('v1', address.endsWith('/') ? address : `${address}/`).href;
  const ownHeaders = {
    'X-Vault-Request': 'true',
    ...(namespace !== undefined && { 'X-Vault-Namespace': namespace }),
  };
  const token = createVaultToken({ outbound, variables, base, headers: ownHeaders });

  async function call<T>(operation: 'encrypt' | 'decrypt', input: object, schema: z.ZodType<T>): Promise<T> {
    const message = jsonBody(input);
    const headers = { ...message.headers, ...ownHeaders, 'X-Vault-Token': await token() };
    return askJson(
      outbound,
      { ...message, url: `${base}/${mount}/${operation}/${keyName}`, headers },
      schema,
    );
  }

  const bound = (context: KeyContext) => ({
    associated_data: contextBytes(context).toString('base64'),
  });

  return {
    async wrap(key, context) {
      const input = { plaintext: key.toString('base64'), ...bound(context) };
      return (await call('encrypt', input, encrypted)).data.ciphertext;
    },
    async unwrap(wrapped, context) {
      const { data } = await call('decrypt', { ciphertext: wrapped, ...bound(context) }, decrypted);
      return keyFromBase64(data.plaintext);
    },
  };
}
