import { z } from 'zod';
import { listQuery } from '../lib/cursor.ts';
import type { Invitation } from './invitations.store.ts';
import type { Member } from './members.store.ts';

const role = z.enum(['owner', 'admin', 'viewer']);

export const memberSchema = z
  .object({
    operatorId: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    role,
    emailVerified: z.boolean().meta({ description: 'The address was proved to be the operator’s own.' }),
    otpEnabled: z.boolean().meta({ description: 'Signing in with the password takes a code, too.' }),
    liveApiKeys: z.int().meta({
      description:
        'API keys of the project that this operator made and that work. A changed role does not end them: revoke them.',
    }),
    liveSigningKeys: z.int().meta({ description: 'The same of signing keys.' }),
    createdAt: z.iso.datetime(),
    status: z
      .enum(['member', 'invited'])
      .meta({ description: '`invited` until the operator accepts; lists have members only.' }),
  })
  .meta({ id: 'Member' });

export const memberList = z
  .object({ members: z.array(memberSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'MemberList' });

export const membersQuery = z.strictObject({
  ...listQuery,
  operatorId: z.uuid().optional().meta({ description: 'That operator alone, if they are a member.' }),
});
export const memberParams = z.strictObject({ projectId: z.uuid(), operatorId: z.uuid() });
export const addMemberBody = z.strictObject({ email: z.email().max(254), role });
export const updateMemberBody = z.strictObject({ role });

export function toMemberWire(member: Member): z.input<typeof memberSchema> {
  const { id, createdAt, ...rest } = member;
  return { operatorId: id, ...rest, createdAt: createdAt.toISOString(), status: 'member' };
}

/** The operator who is invited; what they say of themselves is for members of their projects only. */
export function toInvitedMemberWire(
  { id, email }: { readonly id: string; readonly email: string },
  { role, createdAt }: Pick<Invitation, 'role' | 'createdAt'>,
): z.input<typeof memberSchema> {
  return {
    ...{ operatorId: id, email, name: null, role, emailVerified: true, otpEnabled: false },
    ...{ liveApiKeys: 0, liveSigningKeys: 0 },
    createdAt: createdAt.toISOString(),
    status: 'invited',
  };
}
