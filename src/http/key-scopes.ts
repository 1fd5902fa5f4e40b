/** What an API key may do, one sentence each: shown in the OpenAPI document and in docs/api-keys.md. */
export const KEY_SCOPES = {
  'integrations:read':
    'Read integrations, their webhook subscriptions and diagnosis. Client secrets are never readable.',
  'integrations:write':
    'Create, change and delete integrations, the project’s own providers and webhook subscriptions.',
  'connections:read':
    'Read the connections of all users, their health, what they have allowed agents, and the list of users.',
  'connections:write':
    'Change, test and delete connections of all users, and withdraw what these have allowed agents.',
  'connections:import': 'Bring in connections with credentials from elsewhere.',
  'users:tokens': 'Mint user tokens, which act as whichever user they name, and revoke user tokens.',
  connect: 'Start and complete connect sessions for users.',
  'events:read': 'Read events, received webhooks, destinations and deliveries.',
  'events:manage': 'Decide where events are sent, and send them again.',
  polls: 'Read, create, change and delete polls.',
  'projects:read': 'Read the project’s settings.',
  'projects:write': 'Change the project’s settings, such as allowed origins and limits.',
  'activity:read': 'Read the audit log, proxied calls and their numbers.',
  mandates: 'Read, create, change, freeze and delete mandates.',
  approvals: 'Read calls that wait for approval, and approve or reject them.',
  'configuration:read':
    'Read the whole configuration of the project as a file, and compare it with one. Secrets are never readable.',
  'configuration:write':
    'Make the project what a file says: settings, integrations, the project’s own providers, mandates, polls, destinations.',
} as const;

export type KeyScope = keyof typeof KEY_SCOPES;

/** Stands for every scope, those of later releases included. */
export const EVERY_SCOPE = '*';

/** In the order in which they are documented and listed. */
export const KEY_SCOPE_NAMES: readonly KeyScope[] = Object.keys(KEY_SCOPES).filter(isKeyScope);

/**
 * Scopes that hold another one. A key that decides where events go can have all of them sent to itself, so that reading is
 * no more than it has.
 */
const INCLUDED: Readonly<Partial<Record<KeyScope, KeyScope>>> = {
  'integrations:write': 'integrations:read',
  'connections:write': 'connections:read',
  'events:manage': 'events:read',
  'projects:write': 'projects:read',
  'configuration:write': 'configuration:read',
};

/**
 * What an operation asks of an API key: a scope, several at once, or `none` where any key will do, which is for what the
 * catalog tells everybody.
 */
export type KeyScopeDecision = KeyScope | readonly [KeyScope, KeyScope, ...KeyScope[]] | 'none';

/** The scopes of a decision, none for `none`. */
export function listNeededScopes(decision: KeyScopeDecision | undefined): readonly KeyScope[] {
  if (decision === undefined || decision === 'none') return [];
  return typeof decision === 'string' ? [decision] : decision;
}

/** Those of the needed scopes that a key with `held` lacks. Names that this release does not know give nothing. */
export function findMissingScopes(held: readonly string[], needed: readonly KeyScope[]): KeyScope[] {
  if (held.includes(EVERY_SCOPE)) return [];
  return needed.filter((scope) => !held.some((name) => isKeyScope(name) && includesScope(name, scope)));
}

/** Whether the one scope gives what the other does. */
export function includesScope(held: KeyScope, needed: KeyScope): boolean {
  return held === needed || INCLUDED[held] === needed;
}

export function isKeyScope(name: string): name is KeyScope {
  return Object.hasOwn(KEY_SCOPES, name);
}
