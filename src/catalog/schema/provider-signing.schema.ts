import { z } from 'zod';
import { JWT_ALGORITHMS } from './jwt-algorithms.ts';
import { urlTemplate } from './provider-fields.schema.ts';
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

/** OAuth 1.0a (RFC 5849). `{clientId}` and `{clientSecret}` are the consumer of the integration. */
const oauth1 = z.strictObject({
  signatureMethod: z.enum(['HMAC-SHA1', 'HMAC-SHA256', 'PLAINTEXT']).default('HMAC-SHA1'),
  consumerKey: template.default('{clientId}'),
  consumerSecret: template.default('{clientSecret}'),
  /** What the provider issued for the user, or variables that the user types. */
  token: template.default('{accessToken}'),
  tokenSecret: template.default('{accessTokenSecret}'),
  /** `realm` of the Authorization field; it is no part of the signature. */
  realm: z
    .strictObject({
      value: template,
      upperCase: z.boolean().default(false),
      /** Characters that stand for others there (NetSuite: `1234567-sb1` is `1234567_SB1`). */
      replace: z.record(z.string().length(1), z.string().length(1)).default({}),
    })
    .optional(),
  /** Where the browser is sent after temporary credentials were got here; with `authorizationUrl` and `tokenUrl`. */
  requestTokenUrl: urlTemplate.optional(),
  /** Forms are signed: a longer one is refused. Other bodies stream. */
  bodyBytesMax,
});

export type OAuth1Rules = z.infer<typeof oauth1>;

/** A part of a pasted value, as `{name}`: Ghost's key is `<id>:<secret>`. */
const valuePart = z.strictObject({
  of: z.string().min(1).max(60),
  separator: z.string().min(1).max(5),
  index: z.int().min(0).max(9),
});

/**
 * A JWT that is signed for each call, and stands where `accessTokenHeader` has `{accessToken}`. Texts are templates over
 * the variables, `{method}`, `{host}`, `{path}`, `{query}`, `{bodySha256}`, `{random}` and `{now}`. `iat` and `exp` are
 * added. One that names nothing of the call serves for half of its life.
 */
const jwtPerCall = z.strictObject({
  alg: z.enum([...JWT_ALGORITHMS, 'HS256', 'HS384', 'HS512']),
  key: template.default('{privateKey}'),
  passphrase: template.optional(),
  /** How the text of a secret stands for its bytes, where `alg` is an HMAC. */
  keyEncoding: z.enum(['utf8', 'base64', 'base64url', 'hex']).default('utf8'),
  header: z.record(z.string().min(1).max(40), template).default({}),
  claims: z.record(z.string().min(1).max(100), z.unknown()),
  lifetimeSeconds: z.int().min(10).max(86_400).default(300),
  /** How far `iat` lies in the past, for providers that refuse a clock ahead of theirs. */
  issuedSecondsAgo: z.int().min(0).max(300).default(0),
  parts: z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9]*$/), valuePart).default({}),
  bodyBytesMax,
});

/**
 * WSSE UsernameToken in `X-WSSE`. The digest is of nonce, time and secret; it is written in Base64 of its 20 bytes, or, as
 * Emarsys and Adobe's older APIs want it, of its 40 hexadecimal digits.
 */
const wsse = z.strictObject({
  username: template.default('{username}'),
  secret: template.default('{secret}'),
  digest: z.enum(['bytes', 'hex']).default('bytes'),
});

export type WsseRules = z.infer<typeof wsse>;

export type JwtPerCallRules = z.infer<typeof jwtPerCall>;

export type AwsSigV4Rules = z.infer<typeof awsSigV4>;

/** What a provider file says of calls that are signed one by one. */
export const signingFields = {
  awsSigV4: awsSigV4.optional(),
  oauth1: oauth1.optional(),
  jwtPerCall: jwtPerCall.optional(),
  wsse: wsse.optional(),
};
