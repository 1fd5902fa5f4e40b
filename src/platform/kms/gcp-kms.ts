import { z } from 'zod';
import type { KmsKey, KmsVariables } from '../../settings/kms.ts';
import type { Outbound } from '../outbound.ts';
import { askJson, jsonBody } from './ask-service.ts';
import { crc32c } from './crc32c.ts';
import { createGcpToken } from './gcp-credentials.ts';
import { contextBytes, type Kms, KmsError, keyFromBase64 } from './kms.ts';

type GcpKey = Extract<KmsKey, { kind: 'gcp-kms' }>;

/** Numbers of 64 bits are texts in Google's JSON. */
const checksum = z.union([z.string(), z.number()]).transform(Number);
const encrypted = z.object({
  ciphertext: z.string().min(1),
  ciphertextCrc32c: checksum,
  verifiedPlaintextCrc32c: z.boolean(),
  verifiedAdditionalAuthenticatedDataCrc32c: z.boolean(),
});
const decrypted = z.object({ plaintext: z.string(), plaintextCrc32c: checksum });

/**
 * Google Cloud KMS, version 1 over REST. Checksums go along in both directions, as Google asks clients to: a key that was
 * damaged on its way would be lost with all that it seals.
 */
export function createGcpKms(
  { resource }: GcpKey,
  deps: { readonly outbound: Outbound; readonly variables: KmsVariables },
): Kms {
  const { outbound, variables } = deps;
  const base = variables.CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS ?? 'https://cloudkms.googleapis.com/';
  const token = createGcpToken({ outbound, variables });

  async function call<T>(operation: 'encrypt' | 'decrypt', input: object, schema: z.ZodType<T>): Promise<T> {
    const message = jsonBody(input);
    const headers = { ...message.headers, Authorization: `Bearer ${await token()}` };
    const url = new URL(`v1/${resource}:${operation}`, base).href;
    return askJson(outbound, { ...message, url, headers }, schema);
  }

  const bound = (context: Parameters<Kms['wrap']>[1]) => {
    const bytes = contextBytes(context);
    return {
      additionalAuthenticatedData: bytes.toString('base64'),
      additionalAuthenticatedDataCrc32c: String(crc32c(bytes)),
    };
  };

  return {
    async wrap(key, context) {
      const input = {
        plaintext: key.toString('base64'),
        plaintextCrc32c: String(crc32c(key)),
        ...bound(context),
      };
      const answer = await call('encrypt', input, encrypted);
      const isWhole =
        answer.verifiedPlaintextCrc32c &&
        answer.verifiedAdditionalAuthenticatedDataCrc32c &&
        crc32c(Buffer.from(answer.ciphertext, 'base64')) === answer.ciphertextCrc32c;
      if (!isWhole) throw damaged();
      return answer.ciphertext;
    },
    async unwrap(wrapped, context) {
      const bytes = Buffer.from(wrapped, 'base64');
      const input = { ciphertext: wrapped, ciphertextCrc32c: String(crc32c(bytes)), ...bound(context) };
      const answer = await call('decrypt', input, decrypted);
      const key = keyFromBase64(answer.plaintext);
      if (crc32c(key) !== answer.plaintextCrc32c) throw damaged();
      return key;
    },
  };
}

function damaged(): KmsError {
  return new KmsError('a checksum does not fit: the message was damaged on its way', { isTransient: true });
}
