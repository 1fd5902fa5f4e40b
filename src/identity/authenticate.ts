import { HttpError } from '../http/errors.ts';
import type { Authenticate, AuthenticationRequest, Principal } from '../http/principal.ts';
import { isTransientStoreError } from '../platform/postgres/store-errors.ts';
import type { VerifiedUser } from './verification/user-rights.ts';

/** RFC 6750 section 2.1; schemes are case-insensitive (RFC 9110 section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const CREDENTIAL = /^(igk|igo)_[A-Za-z0-9_-]{43}$/;

type StoredKey = { readonly apiKeyId: string; readonly projectId: string };
type StoredSession = { readonly sessionId: string; readonly operatorId: string };
type StoredToken = { readonly personalAccessTokenId: string; readonly operatorId: string };

/**
 * Authenticates management requests by their one `Authorization: Bearer`: a project API key (`igk_…`), a personal
 * access token (`igo_…`), or a user token. Only a request without that field is an operator's by its session cookie:
 * the two never mix, and a page that brings a token acts as what the token says. Its project is in its `aud`, or in `Gateway-Project` where an identity
 * provider has an audience of its own. The finders throw for what is unknown, revoked or expired; they ask the store
 * every time, so that a revoked credential is dead at once on every replica. `noteAccessKeyUse` is called with every use and
 * must not throw. Throws `store_unavailable` when the store is away.
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
  noteAccessKeyUse?(kind: 'api_key' | 'personal_access_token' | 'session', id: string): void;
}): Authenticate {
  async function byCredential(credential: string, isSuspect: boolean): Promise<Principal> {
    if (credential.startsWith('igk_')) {
      const { apiKeyId, projectId } = await deps.findApiKey(credential, isSuspect);
      deps.noteAccessKeyUse?.('api_key', apiKeyId);
      return { kind: 'api_key', apiKeyId, projectId };
    }
    const { personalAccessTokenId, operatorId } = await deps.findPersonalAccessToken(credential, isSuspect);
    deps.noteAccessKeyUse?.('personal_access_token', personalAccessTokenId);
    return { kind: 'operator', operatorId };
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
    const { projectId, subject, mandate } = user;
    if (mandate?.refusal !== undefined)
      throw new HttpError(mandate.refusal.code, { detail: mandate.refusal.detail });
    const endUserId = await deps.endUserId(projectId, subject);
    return { kind: 'end_user', projectId, endUserId, subject, ...(mandate && { hasMandate: true }) };
  }

  return async (request) => {
    const cookie = hasAuthorization(request) ? undefined : deps.sessions.readCookie(request);
    const bearer = cookie === undefined ? readBearer(request) : '';
    try {
      if (cookie !== undefined) return await bySession(cookie, request.isSuspect);
      if (CREDENTIAL.test(bearer)) return await byCredential(bearer, request.isSuspect);
      return await byUserToken(bearer, request);
    } catch (error) {
      throw isTransientStoreError(error) ? new HttpError('store_unavailable', { cause: error }) : error;
    }
  };
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
