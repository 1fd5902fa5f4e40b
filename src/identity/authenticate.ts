import { HttpError } from '../http/errors.ts';
import type { Authenticate, AuthenticationRequest, Principal } from '../http/principal.ts';
import { sha256 } from '../lib/credentials.ts';
import { isTransientStoreError } from '../platform/postgres/store-errors.ts';
import type { VerifiedUser } from './key-sets.ts';

/** RFC 6750 section 2.1; schemes are case-insensitive (RFC 9110 section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const CREDENTIAL = /^(igk|igo)_[A-Za-z0-9_-]{43}$/;

type StoredKey = { readonly apiKeyId: string; readonly projectId: string; readonly isExpired: boolean };
type StoredToken = { readonly id: string; readonly operatorId: string; readonly isExpired: boolean };

type Found = {
  readonly kind: 'api_key' | 'personal_access_token';
  readonly id: string;
  readonly isExpired: boolean;
  readonly principal: Principal;
};

/**
 * Authenticates management requests by their one `Authorization: Bearer`: a project API key (`igk_…`), a personal
 * access token (`igo_…`), or a user token. Its project is in its `aud`, or in `Gateway-Project` where an identity
 * provider has an audience of its own. The finders take a SHA-256 and answer
 * undefined for what is unknown or revoked; expiry is the one reason that is told. They are asked every time, so that a revoked credential is dead at
 * once on every replica; it costs one read of an index, beside what the request itself reads. `noteCredentialUse` hears
 * of every use and must not throw. Throws `store_unavailable` when the store is away.
 */
export function createAuthenticate(deps: {
  findApiKey(hash: Buffer): Promise<StoredKey | undefined>;
  findPersonalAccessToken(hash: Buffer): Promise<StoredToken | undefined>;
  verifyManagementToken(token: string, projectId?: string): Promise<VerifiedUser>;
  endUserId(projectId: string, subject: string): Promise<string>;
  noteCredentialUse?(kind: Found['kind'], id: string): void;
}): Authenticate {
  async function byCredential(credential: string): Promise<Principal> {
    const found = await find(credential, sha256(credential));
    if (!found) throw new HttpError('token_invalid');
    if (found.isExpired) throw new HttpError('token_expired');
    deps.noteCredentialUse?.(found.kind, found.id);
    return found.principal;
  }

  async function find(credential: string, hash: Buffer): Promise<Found | undefined> {
    if (credential.startsWith('igk_')) {
      const key = await deps.findApiKey(hash);
      if (!key) return undefined;
      const { apiKeyId, projectId, isExpired } = key;
      return {
        kind: 'api_key',
        id: apiKeyId,
        isExpired,
        principal: { kind: 'api_key', apiKeyId, projectId },
      };
    }
    const token = await deps.findPersonalAccessToken(hash);
    if (!token) return undefined;
    const { id, operatorId, isExpired } = token;
    return { kind: 'personal_access_token', id, isExpired, principal: { kind: 'operator', operatorId } };
  }

  async function byUserToken(token: string, named: string | undefined): Promise<Principal> {
    const { projectId, subject } = await deps.verifyManagementToken(token, named);
    return { kind: 'end_user', projectId, endUserId: await deps.endUserId(projectId, subject), subject };
  }

  return async (request) => {
    const bearer = readBearer(request);
    try {
      if (CREDENTIAL.test(bearer)) return await byCredential(bearer);
      return await byUserToken(bearer, request.headers['gateway-project']?.toString());
    } catch (error) {
      throw isTransientStoreError(error) ? new HttpError('store_unavailable', { cause: error }) : error;
    }
  };
}

/**
 * Throws `token_missing` without an Authorization field, `token_invalid` with two or another scheme. Of two fields Node
 * would keep the first, and whoever stands before the gateway perhaps the last: hence the raw ones are counted.
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
