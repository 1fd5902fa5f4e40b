import { z } from 'zod';
import type { Profile } from './operators.store.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from './password.ts';
import { displayName } from './texts.schema.ts';

export const newPassword = z.string().min(PASSWORD_LENGTH_MIN).max(PASSWORD_LENGTH_MAX);
/** A password to be judged: one that was allowed once stays so. */
export const givenPassword = z.string().min(1).max(PASSWORD_LENGTH_MAX);
export const emailAddress = z.email().max(254);

export const operatorSchema = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    language: z.string().nullable().meta({ description: 'BCP 47 tag; null: what the browser asks for.' }),
    createdAt: z.iso.datetime(),
    emailVerified: z.boolean().meta({
      description:
        'The address was proved to be yours. Without that, nobody can add you to a project but by inviting you.',
    }),
    hasPassword: z.boolean(),
    otpEnabled: z.boolean().meta({ description: 'Signing in with the password takes a code, too.' }),
    singleSignOn: z.boolean().meta({ description: 'An account at the identity provider is linked.' }),
    gatewayOwner: z.boolean().meta({
      description:
        'Owner of the gateway itself: the first operator, and whom an owner of the gateway or the administrator of the server appoints.',
    }),
  })
  .meta({ id: 'Operator' });

export const updateOperatorBody = z
  .strictObject({
    name: displayName.nullable().optional(),
    language: z.enum(['en', 'de', 'es']).nullable().optional(),
    password: newPassword.optional(),
    currentPassword: givenPassword.optional(),
    endTokens: z.boolean().optional().meta({
      description: 'With a new password: whether your personal access tokens end too.',
    }),
  })
  .meta({ description: 'A new password needs the current one, where there is one.' });

export function toOperatorWire(profile: Profile): z.input<typeof operatorSchema> {
  return { ...profile, createdAt: profile.createdAt.toISOString() };
}
