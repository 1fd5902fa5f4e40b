import { z } from 'zod';
import { listQuery } from '../../lib/cursor.ts';
import { givenInstant } from '../../lib/instant.schema.ts';
import { claimText, userIdText } from '../../projects/texts.schema.ts';
import { CLOCK_SKEW_SECONDS } from '../user-jwt/claims.ts';
import type { Revocation } from './revocations.store.ts';

const JTI_LENGTH_MAX = 255;

export const revocationSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    jti: z.string().nullable(),
    userId: z.string().nullable(),
    everyone: z.boolean(),
    issuedBefore: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Tokens issued before this are refused; null where one token is revoked.' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso
      .datetime()
      .meta({ description: 'When it is forgotten: no token that it concerns can be alive then.' }),
  })
  .meta({ id: 'Revocation' });

export const revocationList = z
  .object({ revocations: z.array(revocationSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'RevocationList' });

export const revocationsQuery = z.strictObject(listQuery);
export const revocationParams = z.strictObject({ projectId: z.uuid(), id: z.uuid() });

const issuedBefore = givenInstant
  .refine(
    (text) => Date.parse(text) <= Date.now() + CLOCK_SKEW_SECONDS * 1_000,
    'Must not be in the future: tokens that are issued later are good',
  )
  .optional()
  .meta({ description: 'Left out: now. A token without `iat` counts as issued at the beginning of time.' });

export const createRevocationBody = z.union([
  z.strictObject({
    jti: claimText
      .refine((text) => text.length <= JTI_LENGTH_MAX, `At most ${JTI_LENGTH_MAX} characters`)
      .meta({ description: 'The `jti` of one token.' }),
  }),
  z.strictObject({
    userId: userIdText.meta({ description: 'Your own id of the user: the `sub` of the tokens.' }),
    issuedBefore,
  }),
  z.strictObject({ everyone: z.literal(true), issuedBefore }),
]);

export type CreateRevocation = z.output<typeof createRevocationBody>;

export function toRevocationWire(revocation: Revocation): z.input<typeof revocationSchema> {
  const { jti, subject } = revocation;
  return {
    id: revocation.id,
    projectId: revocation.projectId,
    jti,
    userId: subject,
    everyone: jti === null && subject === null,
    issuedBefore: revocation.issuedBefore?.toISOString() ?? null,
    createdAt: revocation.createdAt.toISOString(),
    expiresAt: revocation.expiresAt.toISOString(),
  };
}
