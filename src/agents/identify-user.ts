import { HttpError } from '../http/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { chain, isPromise } from '../proxy/chain.ts';
import type { MaybePromise, VerifiedUser } from '../proxy/contract.ts';
import { readBearer } from './bearer.ts';

export type IdentifyUserDependencies = {
  verifyUserToken(
    projectId: string,
    token: string,
    networkOfCaller: () => string,
  ): MaybePromise<VerifiedUser>;
  /** The `WWW-Authenticate` field of a 401, which tells clients where to sign in. */
  challengeOf(projectId: string, error: string | undefined): string;
};

type Arrived = {
  readonly projectId: string;
  readonly rawHeaders: readonly string[];
  readonly networkOfCaller: () => string;
};

export type Identified = { readonly token: string; readonly user: VerifiedUser };

/**
 * The user of the token, at once where the token is known. Throws or rejects with a refusal that says where a new one can
 * be had (RFC 9728 section 5.1).
 */
export function identifyUser(deps: IdentifyUserDependencies, arrived: Arrived): MaybePromise<Identified> {
  const refuse = (thrown: unknown): never => {
    throw addChallenge(deps, arrived.projectId, thrown);
  };
  try {
    const identified = verify(deps, arrived);
    return isPromise(identified) ? identified.catch(refuse) : identified;
  } catch (error) {
    return refuse(error);
  }
}

function addChallenge(deps: IdentifyUserDependencies, projectId: string, error: unknown): unknown {
  if (!(error instanceof HttpError) || error.status !== 401 || !isUuid(projectId)) return error;
  const reason = error.code === 'token_missing' ? undefined : 'invalid_token';
  const headers = { ...error.headers, 'WWW-Authenticate': deps.challengeOf(projectId, reason) };
  return new HttpError(error.code, { detail: error.detail, headers });
}

function verify(
  deps: IdentifyUserDependencies,
  { projectId, rawHeaders, networkOfCaller }: Arrived,
): MaybePromise<Identified> {
  const token = readBearer(rawHeaders);
  // A store would take a malformed id for a fault of its own.
  if (!isUuid(projectId)) throw new HttpError('token_invalid');
  return chain(deps.verifyUserToken(projectId, token, networkOfCaller), (user) => {
    const refusal = user.mandate?.refusal;
    if (refusal !== undefined) throw new HttpError(refusal.code, { detail: refusal.detail });
    return { token, user };
  });
}
