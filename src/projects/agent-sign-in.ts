import { isDeepStrictEqual } from 'node:util';
import { assertScopes } from '../http/assert-scopes.ts';
import { findMissingScopes } from '../http/key-scopes.ts';
import type { Principal } from '../http/principal.ts';
import type { SealContext } from '../platform/vault.ts';

/** The OpenID provider of the application, at which the gateway is a client. */
export type OpenIdSetting = Readonly<{
  issuer: string;
  clientId: string;
  /** Asked for besides `openid`. */
  scopes: readonly string[];
  /** The claim of the ID token that is the application's id of the user. */
  userIdClaim: string;
  /** A named mandate, which is the most that agents get. */
  mandateId: string | null;
}>;

/** How persons sign in for agents: by a page of the application's, or at its OpenID provider. One of the two is set. */
export type AgentSignIn = Readonly<{
  page: string | null;
  openid: OpenIdSetting | null;
  /** Clients that have no metadata document may register themselves (RFC 7591). */
  dynamicRegistration: boolean;
}>;

/** As the store has it: what an earlier release has written lacks the rest. */
export type StoredAgentSignIn = Partial<AgentSignIn>;

export function readAgentSignIn(stored: StoredAgentSignIn | null): AgentSignIn | null {
  if (stored === null) return null;
  const { page = null, openid = null, dynamicRegistration = false } = stored;
  return { page, openid, dynamicRegistration };
}

type Given = Readonly<{
  page?: string | null | undefined;
  openid?: (Omit<OpenIdSetting, 'mandateId'> & GivenSecret) | null | undefined;
  dynamicRegistration?: boolean | undefined;
}>;
type GivenSecret = { mandateId?: string | null | undefined; clientSecret?: string | null | undefined };

type Settled = {
  readonly agentSignIn: AgentSignIn | null;
  /** Undefined: as it is. Null: none. */
  readonly clientSecret: string | null | undefined;
};

/**
 * What is kept of a setting that is given. A client secret that is left out stays, for the same client at the same issuer:
 * no other ever gets it.
 */
export function settleAgentSignIn(
  given: Given | null,
  current: AgentSignIn | null,
): Settled | 'client_secret_missing' {
  if (given === null) return { agentSignIn: null, clientSecret: null };
  const { page = null, dynamicRegistration = false } = given;
  if (!given.openid) return { agentSignIn: { page, openid: null, dynamicRegistration }, clientSecret: null };
  const { clientSecret, mandateId = null, ...setting } = given.openid;
  const { openid: before } = current ?? { openid: null };
  const isSame = before?.issuer === setting.issuer && before.clientId === setting.clientId;
  if (clientSecret === undefined && !isSame) return 'client_secret_missing';
  return {
    agentSignIn: { page: null, openid: { ...setting, mandateId }, dynamicRegistration },
    clientSecret,
  };
}

/**
 * A key that names the OpenID provider decides who signs in as which user, as a key that mints user tokens does, and needs the
 * same scope. `configuration:write` is enough: a file may name the provider as well. Throws `scope_missing`.
 */
export function assertMayNameProvider(
  principal: Principal,
  before: AgentSignIn | null,
  after: AgentSignIn | null | undefined,
): void {
  if (!after?.openid || isDeepStrictEqual(after.openid, before?.openid)) return;
  if (
    principal.kind === 'api_key' &&
    findMissingScopes(principal.scopes, ['configuration:write']).length === 0
  )
    return;
  assertScopes(principal, 'users:tokens');
}

export function clientSecretContext(projectId: string): SealContext {
  return { table: 'projects', column: 'agent_sign_in_secret_sealed', rowId: projectId, projectId };
}
