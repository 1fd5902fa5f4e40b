import aws4 from 'aws4';
import { z } from 'zod';
import type { KmsKey, KmsVariables } from '../../settings/kms.ts';
import type { Outbound } from '../outbound.ts';
import { askJson } from './ask-service.ts';
import { createAwsCredentials } from './aws-credentials.ts';
import { describeContext, type Kms, keyFromBase64 } from './kms.ts';

type AwsKey = Extract<KmsKey, { kind: 'aws-kms' }>;

const encrypted = z.object({ CiphertextBlob: z.string().min(1) });
const decrypted = z.object({ Plaintext: z.string() });

/**
 * AWS KMS: Encrypt and Decrypt in JSON 1.1, signed with Signature Version 4. The context is the EncryptionContext, which
 * the service authenticates, writes into CloudTrail and lets key policies ask for.
 */
export function createAwsKms(
  { arn, region }: AwsKey,
  deps: { readonly outbound: Outbound; readonly variables: KmsVariables },
): Kms {
  const { outbound, variables } = deps;
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = new URL(variables.AWS_ENDPOINT_URL_KMS ?? `https://kms.${region}.${suffix}`);
  const credentials = createAwsCredentials({ outbound, variables, region, suffix });

  async function call<T>(operation: 'Encrypt' | 'Decrypt', input: object, schema: z.ZodType<T>): Promise<T> {
    const body = JSON.stringify(input);
    const { headers } = aws4.sign(
      {
        ...{ service: 'kms', region, method: 'POST', host: url.host, path: url.pathname, body },
        headers: {
          'Content-Type': 'application/x-amz-json-1.1',
          'X-Amz-Target': `TrentService.${operation}`,
        },
      },
      await credentials(),
    );
    return askJson(outbound, { url: url.href, method: 'POST', headers: ownHeaders(headers), body }, schema);
  }

  return {
    async wrap(key, context) {
      const input = {
        KeyId: arn,
        Plaintext: key.toString('base64'),
        EncryptionContext: describeContext(context),
      };
      return (await call('Encrypt', input, encrypted)).CiphertextBlob;
    },
    async unwrap(wrapped, context) {
      const input = {
        KeyId: arn,
        CiphertextBlob: wrapped,
        EncryptionContext: describeContext(context),
      };
      return keyFromBase64((await call('Decrypt', input, decrypted)).Plaintext);
    },
  };
}

/** Without the fields that frame a message, which the client writes. */
function ownHeaders(headers: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  const own = Object.entries(headers ?? {}).filter(([name]) => !/^(host|content-length)$/i.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}
