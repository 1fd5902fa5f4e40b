import { hasAtMost } from '../lib/code-points.ts';
/** What a token says of where its user belongs. */
export type Membership = {
  /** The application's own id of the organization. */
  readonly organization: string;
  /** Whether the user may connect accounts for it, and end what is connected. */
  readonly managesConnections: boolean;
};

/** The role of the claim `gateway_roles`. Others are for later releases. */
export const MANAGES_CONNECTIONS = 'connections:manage';

/** Claims that say where a user belongs. */
export const MEMBERSHIP_CLAIMS = ['org', 'gateway_roles'] as const;

/** Undefined where the token names no organization; null where what it names cannot be one. */
export function readMembership(payload: Readonly<Record<string, unknown>>): Membership | undefined | null {
  const { org, gateway_roles: roles } = payload;
  if (org === undefined || org === null) return undefined;
  if (!isOwnId(org)) return null;
  return {
    organization: org,
    managesConnections: Array.isArray(roles) && roles.includes(MANAGES_CONNECTIONS),
  };
}

/**
 * Whether it can be an application's own id of a user or an organization. A lone surrogate would be stored as another
 * id's U+FFFD.
 */
export function isOwnId(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || !hasAtMost(value, 255)) return false;
  return value.isWellFormed() && !/\p{Cc}/u.test(value);
}

/** The same membership as claims of a token. */
export function buildMembershipClaims(membership: Membership | undefined): Record<string, unknown> {
  if (membership === undefined) return {};
  const { organization, managesConnections } = membership;
  return { org: organization, ...(managesConnections && { gateway_roles: [MANAGES_CONNECTIONS] }) };
}
