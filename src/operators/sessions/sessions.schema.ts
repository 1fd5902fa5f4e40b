import { z } from 'zod';
import { listQuery } from '../../lib/cursor.ts';
import { emailAddress, givenPassword, operatorSchema, toOperatorWire } from '../accounts/operators.schema.ts';
import type { Profile } from '../accounts/operators.store.ts';
import type { Session } from './sessions.store.ts';

export const sessionSchema = z
  .object({
    id: z.uuid(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime(),
    expiresAt: z.iso
      .datetime()
      .meta({ description: 'Twelve hours after the last use, at most seven days after the begin.' }),
    sourceAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
    current: z.boolean().meta({ description: 'The session that asks.' }),
    operator: operatorSchema,
  })
  .meta({ id: 'Session' });

export const sessionList = z
  .object({ sessions: z.array(sessionSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'SessionList' });

export const otpText = z
  .string()
  .trim()
  .min(6)
  .max(40)
  .meta({ description: 'The code that the authenticator app shows, or a recovery code.' });

export const signInBody = z.strictObject({
  email: emailAddress,
  password: givenPassword,
  otp: otpText.optional(),
});
export type SignInInput = z.output<typeof signInBody>;

export const sessionsQuery = z.strictObject(listQuery);
export const sessionParams = z.strictObject({ id: z.union([z.literal('current'), z.uuid()]) });

export const signInOptionsSchema = z
  .object({
    setUp: z.boolean().meta({ description: 'False until the first operator exists.' }),
    singleSignOn: z.object({ url: z.string() }).nullable(),
    mail: z.boolean().meta({ description: 'The gateway can send mails, such as a link to a new password.' }),
  })
  .meta({ id: 'SignInOptions' });

export function toSessionWire(
  session: Session,
  operator: Profile,
  currentId: string | undefined,
): z.input<typeof sessionSchema> {
  return {
    id: session.id,
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    sourceAddress: session.sourceAddress,
    userAgent: session.userAgent,
    current: session.id === currentId,
    operator: toOperatorWire(operator),
  };
}
