import { z } from 'zod';
import { HOST_NAME } from './provider-hosts.schema.ts';

/** Over the variables; `{clientId}` and `{clientSecret}` where the block says so. */
const template = z.string().min(1).max(500);

const MIB = 1024 * 1024;
/** A whole body is held in memory until it is signed; hashing this much takes the event loop 10 ms. */
const SIGNED_BODY_BYTES_MAX = 16 * MIB;
const bodyBytesMax = z.int().min(0).max(SIGNED_BODY_BYTES_MAX).default(MIB);

/** AWS Signature Version 4. What the templates name is declared among the variables. */
const awsSigV4 = z.strictObject({
  accessKeyId: template.default('{accessKeyId}'),
  secretAccessKey: template.default('{secretAccessKey}'),
  /** Of temporary credentials; none is sent where a value that it names is missing. */
  sessionToken: template.default('{sessionToken}'),
  service: template,
  region: template,
  /** Services whose name in signatures is not the one in their address: `{ email: ses }`. */
  serviceNames: z.record(z.string().max(60), z.string().min(1).max(60)).default({}),
  /** Service and region of further hosts, by their names, where they differ. */
  hosts: z
    .record(
      z.string().regex(HOST_NAME),
      z.strictObject({ service: template.optional(), region: template.optional() }),
    )
    .default({}),
  /** A longer body is refused, unless the service takes it unsigned or the caller sends its hash. */
  bodyBytesMax,
  /** The service takes `UNSIGNED-PAYLOAD` (S3 does), so that bodies of any length stream. */
  unsignedPayload: z.boolean().default(false),
});

export type AwsSigV4Rules = z.infer<typeof awsSigV4>;

/** What a provider file says of calls that are signed one by one. */
export const signingFields = {
  awsSigV4: awsSigV4.optional(),
};
