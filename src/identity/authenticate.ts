import { HttpError } from '../http/errors.ts';
import type {
  Authenticate,
  AuthenticationRequest,
  Principal,
  PrincipalOrganization,
} from '../http/principal.ts';
import { isInRanges } from '../lib/address-ranges.ts';
import type { Membership } from '../mandates/membership.ts';
import { isTransientStoreError } from '../platform/postgres/store-errors.ts';
import type { RefusedUse } from './api-keys/refused-addresses.ts';
import type { VerifiedUser } from './verification/user-rights.ts';

/** RFC 6750 section 2.1; schemes are case-insensitive (RFC 9110 section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const CREDENTIAL = /^(igk|igo)_[A-Za-z0-9_-]{43}$/;

/** Ranges of addresses from which it may be used; null: from anywhere. */
type Bound = { readonly allowedAddresses: readonly string[] | null };
type StoredKey = Bound & {
  readonly apiKeyId: string;
  readonly lineageId: string;
  readonly projectId: string;
  readonly scopes: readonly string[];
};
type StoredSession = { readonly sessionId: string; readonly operatorId: string };
type StoredToken = Bound & { readonly personalAccessTokenId: string; readonly operatorId: string };

/**
 * Authenticates management requests by their one `Authorization: Bearer`: a project API key (`igk_…`), a personal
 * access token (`igo_…`), or a user token. Only a request without that field is an operator's by its session cookie:
 * the two never mix, and a page that brings a token acts as what the token says. Its project is in its `aud`, or in `Gateway-Project` where an identity
 * provider has an audience of its own. The finders throw for what is unknown, revoked or expired; they ask the store
 * every time, so that a revoked credential is dead at once on every replica. `noteAccessKeyUse` is called with every use and
 * must not throw. A key or token that is bound to addresses is refused from elsewhere by a code of its own, since its caller
 * has shown that they hold it. Throws `store_unavailable` when the store is away.
 */
export function createAuthenticate(deps: {
  findApiKey(credential: string, isSuspect: boolean): Promise<StoredKey>;
  findPersonalAccessToken(credential: string, isSuspect: boolean): Promise<StoredToken>;
  sessions: {
    /** The token of the session cookie, `''` for one that cannot be a token; undefined without a cookie. */
    readCookie(request: AuthenticationRequest): string | undefined;
    /** `Set-Cookie` that takes a dead session's cookie away. */
    readonly endedCookie: string;
    find(credential: string, isSuspect: boolean): Promise<StoredSession>;
  };
  verifyManagementToken(
    token: string,
    networkOfCaller: () => string,
    projectId?: string,
  ): Promise<VerifiedUser>;
  endUserId(projectId: string, subject: string): Promise<string>;
  organizationId(projectId: string, organization: string): Promise<string>;
  noteAccessKeyUse?(kind: 'api_key' | 'personal_access_token' | 'session', id: string): void;
  /** Hears of every use from an address that is not allowed; must not throw. */
  noteRefusedAddress(refused: RefusedUse): Promise<void>;
}): Authenticate {
  async function byApiKey(
    credential: string,
    { isSuspect, address }: AuthenticationRequest,
  ): Promise<Principal> {
    const { allowedAddresses, ...key } = await deps.findApiKey(credential, isSuspect);
    const { apiKeyId, lineageId, projectId, scopes } = key;
    const principal = { kind: 'api_key', apiKeyId, lineageId, projectId, scopes } as const;
    await assertAddress(allowedAddresses, { id: apiKeyId, principal, address });
    deps.noteAccessKeyUse?.('api_key', apiKeyId);
    return principal;
  }

  async function byPersonalAccessToken(
    credential: string,
    { isSuspect, address }: AuthenticationRequest,
  ): Promise<Principal> {
    const found = await deps.findPersonalAccessToken(credential, isSuspect);
    const { personalAccessTokenId: id, operatorId, allowedAddresses } = found;
    const principal = { kind: 'operator', operatorId, personalAccessTokenId: id } as const;
    await assertAddress(allowedAddresses, { id, principal, address });
    deps.noteAccessKeyUse?.('personal_access_token', id);
    return principal;
  }

  async function assertAddress(ranges: readonly string[] | null, use: RefusedUse): Promise<void> {
    if (ranges === null || isInRanges(use.address, ranges)) return;
    await deps.noteRefusedAddress(use);
    throw new HttpError('address_not_allowed', {
      detail: `The credentials are bound to addresses, and ${use.address.slice(0, 64)} is none of them.`,
    });
  }

  async function bySession(cookie: string, isSuspect: boolean): Promise<Principal> {
    try {
      if (cookie === '') throw new HttpError('token_invalid');
      const { sessionId, operatorId } = await deps.sessions.find(cookie, isSuspect);
      deps.noteAccessKeyUse?.('session', sessionId);
      return { kind: 'operator', operatorId, sessionId };
    } catch (error) {
      if (!(error instanceof HttpError) || !DEAD.has(error.code)) throw error;
      throw new HttpError('signed_out', { headers: { 'Set-Cookie': deps.sessions.endedCookie } });
    }
  }

  async function byUserToken(token: string, request: AuthenticationRequest): Promise<Principal> {
    const named = request.headers['gateway-project']?.toString();
    const user = await deps.verifyManagementToken(token, () => request.network, named);
    const { projectId, subject, membership, mandate } = user;
    if (mandate?.refusal !== undefined)
      throw new HttpError(mandate.refusal.code, { detail: mandate.refusal.detail });
    const endUserId = await deps.endUserId(projectId, subject);
    const organization = membership && (await findOrganization(deps, projectId, membership));
    return {
      ...{ kind: 'end_user', projectId, endUserId, subject, organization },
      ...(mandate && { hasMandate: true }),
    };
  }

  return async (request) => {
    const cookie = hasAuthorization(request) ? undefined : deps.sessions.readCookie(request);
    const bearer = cookie === undefined ? readBearer(request) : '';
    try {
      if (cookie !== undefined) return await bySession(cookie, request.isSuspect);
      if (CREDENTIAL.test(bearer)) {
        return await (bearer.startsWith('igk_') ? byApiKey : byPersonalAccessToken)(bearer, request);
      }
      return await byUserToken(bearer, request);
    } catch (error) {
      throw isTransientStoreError(error) ? new HttpError('store_unavailable', { cause: error }) : error;
    }
  };
}

/** The organization of a token's user, as their principal has it. */
export async function findOrganization(
  deps: { organizationId(projectId: string, organization: string): Promise<string> },
  projectId: string,
  { organization: name, managesConnections: isManaged }: Membership,
): Promise<PrincipalOrganization> {
  return { id: await deps.organizationId(projectId, name), name, isManaged };
}

/** What is refused of a cookie is that of a session which has ended, as far as its browser can know. */
const DEAD: ReadonlySet<string> = new Set(['token_invalid', 'token_expired']);

function hasAuthorization({ rawHeaders }: AuthenticationRequest): boolean {
  return rawHeaders.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization');
}

/**
 * Throws `token_missing` without an Authorization field, `token_invalid` with two or another scheme. Of two fields Node
 * would keep the first, and a proxy in front of the gateway perhaps the last: hence the raw ones are counted.
 */
function readBearer({ rawHeaders }: AuthenticationRequest): string {
  const values = rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
  const [value, ...others] = values;
  if (value === undefined) throw new HttpError('token_missing');
  const bearer = BEARER.exec(value.trim())?.[1];
  if (bearer === undefined || others.length > 0) throw new HttpError('token_invalid');
  return bearer;
}
