import { HttpError } from '../http/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { VerifiedUser } from '../proxy/contract.ts';
import { readBearer } from './bearer.ts';

export type IdentifyUserDependencies = {
  verifyUserToken(
    projectId: string,
    token: string,
    networkOfCaller: () => string,
  ): VerifiedUser | Promise<VerifiedUser>;
  /** The `WWW-Authenticate` field of a 401, which tells clients where to sign in. */
  challengeOf(projectId: string, error: string | undefined): string;
};

type Arrived = {
  readonly projectId: string;
  readonly rawHeaders: readonly string[];
  readonly networkOfCaller: () => string;
};

export type Identified = { readonly token: string; readonly user: VerifiedUser };

/** The user of the token. A refusal says where a new one can be had (RFC 9728 section 5.1). */
export async function identifyUser(deps: IdentifyUserDependencies, arrived: Arrived): Promise<Identified> {
  const { projectId } = arrived;
  try {
    return await verify(deps, arrived);
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 401 || !isUuid(projectId)) throw error;
    const reason = error.code === 'token_missing' ? undefined : 'invalid_token';
    const headers = { ...error.headers, 'WWW-Authenticate': deps.challengeOf(projectId, reason) };
    throw new HttpError(error.code, { detail: error.detail, headers });
  }
}

async function verify(
  deps: IdentifyUserDependencies,
  { projectId, rawHeaders, networkOfCaller }: Arrived,
): Promise<Identified> {
  const token = readBearer(rawHeaders);
  // A store would take a malformed id for a fault of its own.
  if (!isUuid(projectId)) throw new HttpError('token_invalid');
  const user = await deps.verifyUserToken(projectId, token, networkOfCaller);
  const refusal = user.mandate?.refusal;
  if (refusal !== undefined) throw new HttpError(refusal.code, { detail: refusal.detail });
  return { token, user };
}
