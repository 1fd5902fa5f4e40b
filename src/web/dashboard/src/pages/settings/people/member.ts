import type { Role } from '../../../api/operators.ts';
import type { Schema } from '../../../api/schemas.ts';

export type Member = Schema<'Member'>;
export type NewInvitation = Schema<'NewInvitation'>;

const ROLES: readonly Role[] = ['owner', 'admin', 'viewer'];

export function isRole(value: string): value is Role {
  return ROLES.some((role) => role === value);
}

/** The roles that an operator of this role may give. */
export function rolesToGive(own: Role | undefined): readonly Role[] {
  return own === 'owner' ? ROLES : ROLES.filter((role) => role !== 'owner');
}
