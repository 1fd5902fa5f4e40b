import { HttpError } from '../http/errors.ts';
import type { Authenticate, AuthenticationRequest, Principal } from '../http/principal.ts';
import { isTransientStoreError } from '../platform/postgres/store-errors.ts';
import type { VerifiedUser } from './key-sets.ts';

/** RFC 6750 section 2.1; schemes are case-insensitive (RFC 9110 section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const CREDENTIAL = /^(igk|igo)_[A-Za-z0-9_-]{43}$/;

type StoredKey = { readonly apiKeyId: string; readonly projectId: string };
type StoredToken = { readonly personalAccessTokenId: string; readonly operatorId: string };

/**
 * Authenticates management requests by their one `Authorization: Bearer`: a project API key (`igk_…`), a personal
 * access token (`igo_…`), or a user token. Its project is in its `aud`, or in `Gateway-Project` where an identity
 * provider has an audience of its own. The finders throw for what is unknown, revoked or expired; they ask the store
 * every time, so that a revoked credential is dead at once on every replica. `noteAccessKeyUse` hears of every use and
 * must not throw. Throws `store_unavailable` when the store is away.
 */
export function createAuthenticate(deps: {
  findApiKey(credential: string, isSuspect: boolean): Promise<StoredKey>;
  findPersonalAccessToken(credential: string, isSuspect: boolean): Promise<StoredToken>;
  verifyManagementToken(
    token: string,
    networkOfCaller: () => string,
    projectId?: string,
  ): Promise<VerifiedUser>;
  endUserId(projectId: string, subject: string): Promise<string>;
  noteAccessKeyUse?(kind: 'api_key' | 'personal_access_token', id: string): void;
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

  async function byUserToken(token: string, request: AuthenticationRequest): Promise<Principal> {
    const named = request.headers['gateway-project']?.toString();
    const { projectId, subject } = await deps.verifyManagementToken(token, () => request.network, named);
    return { kind: 'end_user', projectId, endUserId: await deps.endUserId(projectId, subject), subject };
  }

  return async (request) => {
    const bearer = readBearer(request);
    try {
      if (CREDENTIAL.test(bearer)) return await byCredential(bearer, request.isSuspect);
      return await byUserToken(bearer, request);
    } catch (error) {
      throw isTransientStoreError(error) ? new HttpError('store_unavailable', { cause: error }) : error;
    }
  };
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
