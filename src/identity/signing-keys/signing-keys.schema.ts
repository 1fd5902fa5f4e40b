import { z } from 'zod';
import { listQuery } from '../../lib/cursor.ts';
import { claimText } from '../../projects/texts.schema.ts';
import { validateJwksUrl } from '../../projects/web-addresses.ts';
import { KID } from '../user-jwt/user-jwt.ts';
import { USER_TOKEN_ALGORITHMS } from '../user-jwt/verification-key.ts';
import type { SigningKey } from './signing-keys.store.ts';

const alg = z.enum(USER_TOKEN_ALGORITHMS);

export const signingKeySchema = z
  .object({
    id: z.uuid(),
    kid: z.string().meta({ description: 'What tokens signed with this key name in their header.' }),
    kind: z.enum(['managed', 'public_key', 'jwks']),
    alg: alg.nullable(),
    publicKey: z.string().nullable().meta({ description: 'PEM; null for a JWKS URL.' }),
    issuer: z.string().nullable(),
    jwksUrl: z.string().nullable(),
    audience: z.string().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'SigningKey' });

export const signingKeyList = z
  .object({ signingKeys: z.array(signingKeySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'SigningKeyList' });

export const signingKeysQuery = z.strictObject(listQuery);
export const signingKeyParams = z.strictObject({ projectId: z.uuid(), id: z.uuid() });

const jsonWebKey = z
  .looseObject({ kty: z.string().max(20) })
  .meta({ description: 'A public JSON Web Key (RFC 7517).' });

const publicKeyBody = z.strictObject({
  alg,
  publicKey: z.union([z.string().min(1).max(20_000), jsonWebKey]),
  kid: z.string().regex(KID, '1-128 letters, digits and . _ - + / =').optional(),
  issuer: claimText.optional(),
});

const managedBody = z.strictObject({ managed: z.literal(true) });

/** `allowPrivateNetworks` lets the keys of an identity provider live on plain http. */
export function jwksUrlText({ allowPrivateNetworks }: { allowPrivateNetworks: boolean }) {
  return z.string().superRefine((text, context) => {
    const judged = validateJwksUrl(text, { allowInsecure: allowPrivateNetworks });
    if (!judged.ok) context.addIssue({ code: 'custom', message: judged.message });
  });
}

export function createSigningKeyBody(options: { allowPrivateNetworks: boolean }) {
  const jwksUrl = jwksUrlText(options);
  const jwksBody = z.strictObject({ jwksUrl, issuer: claimText, audience: claimText.optional() });
  return z.union([publicKeyBody, jwksBody, managedBody]);
}

export type SigningKeyBody = z.output<ReturnType<typeof createSigningKeyBody>>;

export function toSigningKeyWire(key: SigningKey): z.input<typeof signingKeySchema> {
  return {
    id: key.id,
    kid: key.kid,
    kind: key.kind,
    alg: key.alg,
    publicKey: key.publicKeyPem,
    issuer: key.issuer,
    jwksUrl: key.jwksUrl,
    audience: key.audience,
    createdAt: key.createdAt.toISOString(),
  };
}
