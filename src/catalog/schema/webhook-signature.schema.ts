import { z } from 'zod';

/**
 * Where a value stands in a webhook: `header:X-Signature`, `query:signature`, `form:bt_signature`,
 * `body:value[].clientState` (a path in the JSON body).
 */
export const place = z
  .string()
  .max(200)
  .regex(/^(header|query|form|body):\S+$/, 'header:, query:, form: or body:, and a name or path');

/**
 * A piece of what is signed: literal text, or exactly one of the placeholders. `{url}` is the registered address with its
 * query, `{endpoint}` without; `{form}` the form's parameters sorted by name, each name followed by its value; `{crc32}`
 * the body's checksum as a decimal; `{hook:name}` a named hook of catalog/facts/quirks.ts.
 */
const signedPart = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^(?:[^{}]+|\{(?:body|url|endpoint|method|timestamp|secret|form|crc32|(?:header|query|form|json|hook):[^{}\s]+)\})$/,
    'literal text or one placeholder',
  );

const signedParts = z.array(signedPart).min(1).max(20);

/** How a signature's bytes are written. `base64-of-hex`: the Base64 of the hexadecimal text. */
const encoding = z.enum(['hex', 'upper-hex', 'base64', 'base64-of-hex']);

/** A signed timestamp; a message further than the tolerance from now, either way, is refused. */
const timestamp = z.strictObject({
  /** A place, or `list:t=`: the element of the header's list that begins with `t=`; `list:0`: its first element. */
  at: z.union([place, z.string().regex(/^list:\S+$/)]),
  unit: z.enum(['seconds', 'milliseconds', 'iso']).default('seconds'),
  toleranceSeconds: z.int().min(1).max(86_400).default(300),
});

/** Where the signature stands, for every scheme that has one. */
const signatureFields = {
  at: place,
  /** Further places of equal strength of which any may hold a right signature (Box's secondary key, DocuSign's `-2`). */
  alsoAt: z.array(place).max(10).optional(),
  /** Text before the signature. In a list, what the elements that are signatures begin with. */
  prefix: z.string().min(1).max(40).optional(),
  /** The header holds several elements with this between them (`t=1,v1=abc,v1=def`). */
  listSeparator: z.string().min(1).max(3).optional(),
  /** Each signature of the list has the name of its key in front, with this between (`key|signature`). */
  afterKeyName: z.string().length(1).optional(),
  signed: signedParts,
  encoding: encoding.default('hex'),
  timestamp: timestamp.optional(),
};

/** How the key is made of the secret as it is stored. */
const keyFields = {
  /** Encoding of the secret; `standard-webhooks`: Base64 after an optional `whsec_`. */
  keyEncoding: z.enum(['text', 'hex', 'base64', 'standard-webhooks']).default('text'),
  /** The key is this digest of the secret. */
  keyDigest: z.enum(['sha1', 'sha256']).optional(),
  /** The secret is stored as `public:private`; the key is what follows the first colon. */
  keyAfterColon: z.literal(true).optional(),
};

const hash = z.enum(['sha1', 'sha256', 'sha512', 'md5']);

const hmac = z.strictObject({
  scheme: z.literal('hmac'),
  hash: hash.default('sha256'),
  ...signatureFields,
  ...keyFields,
  /** The parts are of each item of the payload, and so is the signature, whose place is a path in the item (Adyen). */
  perItem: z.literal(true).optional(),
  /** Percent-encoded characters that the provider decodes in `{url}`; both forms are accepted. */
  urlDecoded: z
    .array(z.string().regex(/^%[0-9A-F]{2}$/))
    .max(30)
    .optional(),
});

/** A plain digest in which `{secret}` is one of the parts. */
const digest = z.strictObject({
  scheme: z.literal('digest'),
  hash: hash.default('sha256'),
  ...signatureFields,
  urlDecoded: z
    .array(z.string().regex(/^%[0-9A-F]{2}$/))
    .max(30)
    .optional(),
});

/** Where a public key comes from, if the integration's secret is not the key. */
const fetchedKey = z.strictObject({
  /** `{keyId}` is the place below, percent-encoded. With `authorization: connection` a path below the API's address. */
  url: z
    .string()
    .max(500)
    .regex(/^(https:\/)?\/\S+$/)
    .optional(),
  /** JSON of a POST that asks for it, with `{keyId}`; without it the address is asked by GET. */
  body: z.record(z.string(), z.string().max(100)).optional(),
  /** Place of the key's id, or of the certificate's address where there is no `url`. */
  idAt: place.optional(),
  /** Path in the signature's own JSON (eBay), in the place of `idAt`. */
  idInSignature: z.string().max(60).optional(),
  /** Hosts from which a certificate whose address the webhook names may be fetched. */
  hosts: z
    .array(z.string().regex(/^[a-z0-9.-]+$/))
    .max(5)
    .optional(),
  /** What the path of such an address begins with. */
  path: z
    .string()
    .regex(/^\/[A-Za-z0-9/_-]{0,100}\/$/)
    .optional(),
  /** Name in the certificate that the answer must be; a bare key, or a certificate of another name, is none then. */
  certificateName: z
    .string()
    .max(253)
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
    .optional(),
  /** Path of the key in a JSON answer that is no JWKS: a text, or one JWK. */
  keyPath: z.string().max(60).optional(),
  /** Path in such an answer that has a value once the key counts no more. */
  expiredPath: z.string().max(60).optional(),
  /** The address wants an access token of the application (client credentials), or the connection's credential. */
  authorization: z.enum(['application', 'connection']).optional(),
});

const publicKey = z.strictObject({
  scheme: z.literal('public-key'),
  algorithm: z.enum(['ed25519', 'ecdsa-sha256', 'ecdsa-sha1', 'rsa-sha256']),
  ...signatureFields,
  /** The place holds Base64 of JSON, in which the signature stands at this path. */
  signaturePath: z.string().max(60).optional(),
  /** Absent: the integration's secret is the key (PEM, or the bare key in hexadecimal or Base64 of DER). */
  key: fetchedKey.optional(),
});

const jwt = z.strictObject({
  scheme: z.literal('jwt'),
  /** `body`: the whole body is the token. */
  at: z.union([place, z.literal('body')]),
  prefix: z.array(z.string().max(20)).max(3).optional(),
  algorithm: z.enum(['HS256', 'RS256', 'ES256']),
  keyEncoding: keyFields.keyEncoding,
  key: fetchedKey.optional(),
  issuer: z.string().max(200).optional(),
  /** `{url}` or `{endpoint}` stand for the registered address. */
  audience: z.string().max(200).optional(),
  /** Claims that have exactly this value, with the same placeholders, or `{secret}` for the integration's webhook secret. */
  claims: z.record(z.string(), z.union([z.string(), z.boolean()])).default({}),
  /** Claim with the SHA-256 of the body. */
  bodyHash: z
    .strictObject({ claim: z.string().max(60), encoding: z.enum(['hex', 'base64']).default('hex') })
    .optional(),
  /** For tokens without `exp`: how old `iat` may be. */
  maxAgeSeconds: z.int().min(1).max(86_400).optional(),
});

/** The secret itself stands in the webhook. A path with `[]` leads to several values, which all have to be it. */
const token = z.strictObject({
  scheme: z.literal('token'),
  at: place,
  prefix: z.string().min(1).max(40).optional(),
});

/** HTTP Basic; the secret is `user:password`. */
const basic = z.strictObject({ scheme: z.literal('basic') });

/** Nothing is signed: the address has an unguessable part. */
const none = z.strictObject({ scheme: z.literal('none') });

export const signatureSchema = z.discriminatedUnion('scheme', [
  hmac,
  digest,
  publicKey,
  jwt,
  token,
  basic,
  none,
]);

/**
 * A value that is computed for the answer to a handshake. What the sender chose of it has to be of a form that no webhook
 * has, or the answer would sign webhooks for any caller that asks.
 */
export const computedValue = z.strictObject({
  scheme: z.enum(['hmac', 'digest']),
  hash: hash.default('sha256'),
  signed: signedParts,
  encoding: encoding.default('hex'),
  prefix: z.string().max(40).optional(),
  /** `token`: up to 100 letters, digits and `+/=_.-`; `hex`: 20 to 64 hexadecimal digits. */
  challenge: z.enum(['token', 'hex']).default('token'),
  ...keyFields,
});

export type WebhookSignature = z.output<typeof signatureSchema>;
export type SignatureEncoding = z.output<typeof encoding>;
