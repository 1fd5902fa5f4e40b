import { HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { MANAGES_CONNECTIONS } from '../mandates/membership.ts';

type EndUser = PrincipalOf<['end_user']>;

/** The gateway's ids of those whose connections a user may use: their own, and their organization's. */
export function listOwners({ endUserId, organization }: EndUser): string[] {
  return organization === undefined ? [endUserId] : [endUserId, organization.id];
}

/** Throws `organization_role_missing` where the connection is the organization's, and the user is not to manage these. */
export function assertMayManage(user: EndUser, owned: { readonly endUserId: string }): void {
  if (owned.endUserId !== user.endUserId) requireManager(user);
}

/** The user's organization, for which they may connect. Throws `organization_role_missing`. */
export function requireManager({ organization }: EndUser): { readonly id: string; readonly name: string } {
  if (organization === undefined)
    throw new HttpError('organization_role_missing', { detail: 'The token names no organization (`org`).' });
  if (!organization.isManaged)
    throw new HttpError('organization_role_missing', {
      detail: `The token's \`gateway_roles\` do not have \`${MANAGES_CONNECTIONS}\`, which connections of an organization take.`,
    });
  return organization;
}
