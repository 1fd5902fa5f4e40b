import { z } from 'zod';
import { listQuery } from '../../lib/cursor.ts';
import { emailAddress } from '../../operators/accounts/operators.schema.ts';
import { otpText } from '../../operators/sessions/sessions.schema.ts';
import type { Invitation } from '../../projects/invitations.store.ts';
import { displayName } from '../../projects/texts.schema.ts';

const role = z.enum(['owner', 'admin', 'viewer']);
const linkToken = z.string().min(1).max(100).meta({ description: 'The fragment of the link.' });

const invitationSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    email: z.string(),
    role,
    createdAt: z.iso.datetime(),
    createdBy: z.uuid().nullable().meta({ description: 'The operator who invites.' }),
    expiresAt: z.iso.datetime(),
    mailed: z.boolean().meta({ description: 'A mail server has taken the mail.' }),
  })
  .meta({ id: 'Invitation' });

export const newInvitationSchema = invitationSchema
  .extend({ url: z.string().meta({ description: 'The link, shown this once.' }) })
  .meta({ id: 'NewInvitation' });

export const invitationList = z
  .object({ invitations: z.array(invitationSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'InvitationList' });

export const invitationsQuery = z.strictObject(listQuery);
export const invitationParams = z.strictObject({ projectId: z.uuid(), id: z.uuid() });
export const createInvitationBody = z.strictObject({ email: emailAddress, role });
export const lookUpInvitationBody = z.strictObject({ token: linkToken });

export const invitationFacts = z
  .object({
    project: z.object({ id: z.uuid(), name: z.string() }),
    email: z.string(),
    role,
    hasAccount: z.boolean().meta({
      description:
        'An operator has this address: sign in instead of making one. False for the link of a mail where that operator never proved the address.',
    }),
  })
  .meta({ id: 'InvitationFacts' });

export const acceptInvitationBody = z.strictObject({
  token: linkToken,
  name: displayName.optional(),
  password: z.string().min(1).max(1000).optional().meta({
    description: 'Of a new account its password to be; of an existing one its own, unless it is signed in.',
  }),
  otp: otpText.optional(),
});
export type AcceptInvitationInput = z.output<typeof acceptInvitationBody>;

export function toInvitationWire(invitation: Invitation): z.input<typeof invitationSchema> {
  const { mailedAt, createdAt, expiresAt, ...rest } = invitation;
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    mailed: mailedAt !== null,
  };
}
