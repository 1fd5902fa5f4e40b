import { z } from 'zod';
import { allowedAddressesInput, allowedAddressesOutput } from '../../lib/address-ranges.schema.ts';
import { createOverlapSeconds, futureInstant } from '../../lib/rotation.schema.ts';
import { givenPassword } from '../accounts/operators.schema.ts';
import { displayName } from '../accounts/texts.schema.ts';
import type { PersonalAccessToken } from './personal-access-tokens.store.ts';

export const personalAccessTokenSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string().meta({ description: 'The first characters of the token, to tell tokens apart.' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Null for tokens of earlier releases alone: they have no end.' }),
    lastUsedAt: z.iso.datetime().nullable(),
    allowedAddresses: allowedAddressesOutput,
  })
  .meta({ id: 'PersonalAccessToken' });

export const newPersonalAccessTokenSchema = personalAccessTokenSchema
  .extend({ token: z.string().meta({ description: 'The token, shown this once.' }) })
  .meta({ id: 'NewPersonalAccessToken' });

export const personalAccessTokenList = z
  .object({ personalAccessTokens: z.array(personalAccessTokenSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'PersonalAccessTokenList' });

/** What every new token takes. */
const newToken = {
  expiresAt: futureInstant.optional().meta({
    description: 'In 90 days unless given; PERSONAL_ACCESS_TOKEN_DAYS_MAX (365) days ahead at most.',
  }),
  password: givenPassword.optional().meta({
    description: 'Yours. Without one, sign in again within ten minutes before this.',
  }),
};

export const createPersonalAccessTokenBody = z.strictObject({
  name: displayName,
  allowedAddresses: allowedAddressesInput.optional(),
  ...newToken,
});

export const rotatePersonalAccessTokenBody = z.strictObject({
  overlapSeconds: createOverlapSeconds('token'),
  ...newToken,
});

export const updatePersonalAccessTokenBody = z.strictObject({
  name: displayName.optional(),
  allowedAddresses: allowedAddressesInput
    .nullable()
    .optional()
    .meta({ description: 'Null: from anywhere. Takes your password.' }),
  password: givenPassword.optional().meta({
    description: 'Yours, for other addresses. Without one, sign in again within ten minutes before this.',
  }),
});

export const personalAccessTokenParams = z.strictObject({ id: z.uuid() });

export function toTokenWire(token: PersonalAccessToken): z.input<typeof personalAccessTokenSchema> {
  return {
    id: token.id,
    name: token.name,
    prefix: token.prefix,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    allowedAddresses: token.allowedAddresses && [...token.allowedAddresses],
  };
}
