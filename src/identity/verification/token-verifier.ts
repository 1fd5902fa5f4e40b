import { HttpError } from '../../http/errors.ts';
import { createFairQueue, QueueFullError } from '../../lib/fair-queue.ts';
import { isRevoked } from '../revocations/revocations.ts';
import type { Jwks, JwksSource } from '../signing-keys/jwks.ts';
import type { FoundKeySet, KeySet } from '../signing-keys/key-set-cache.ts';
import { isMeantFor } from '../user-jwt/claims.ts';
import {
  type Selection,
  selectKeys,
  type TokenVerdict,
  type UnprovenToken,
  verifySelected,
} from '../user-jwt/user-jwt.ts';
import type { VerificationKey } from '../user-jwt/verification-key.ts';
import { hasParentKeys } from './parent-keys.ts';
import { createRefusedTokens, hashToken } from './refused-tokens.ts';
import type { SignatureLimits, UnverifiedToken } from './signature-limits.ts';
import { type RefusedToken, TOKEN_EXPIRED } from './token-refusals.ts';
import type { createUserRights, VerifiedUser } from './user-rights.ts';
import type { VerifiedToken } from './verified-tokens.ts';

/** As many as libuv has threads: more would only wait there, where projects do not take turns. */
const JUDGED_AT_A_TIME = 4;
/** About 25 ms of work for each of the threads. */
const WAITING_PER_PROJECT_MAX = 1_000;
const WAITING_MAX = 5_000;

/** One unknown token on its way through the checks. */
type Attempt = {
  readonly projectId: string;
  readonly token: UnprovenToken;
  readonly digest: string;
  readonly network: string;
  /** Set when the limits let it pass, which they must be asked only once. */
  suspect: UnverifiedToken | undefined;
  isSignatureChecked: boolean;
};

type User = Pick<VerifiedToken, 'projectId' | 'subject' | 'membership' | 'rights'> & {
  /** The project takes no token without a mandate. */
  readonly isMandateRequired: boolean;
};

/**
 * Judges tokens that are not known, cheapest check first; what can be refused without waiting is thrown at once. The
 * signatures of all projects are checked in turns; a token that waits for an identity provider holds no turn. `set`
 * is the project's key set where it is in memory. `keep` gets every token with a good signature.
 */
export function createTokenVerifier(deps: {
  now(): number;
  jwks: Jwks;
  limits: SignatureLimits;
  loadKeySet(projectId: string, network: string): Promise<FoundKeySet>;
  /** Joins what the token says of its rights with what the project knows. */
  grant: ReturnType<typeof createUserRights>;
  keep(token: VerifiedToken): void;
  /** Throws or rejects with the error that is to be given in the place of this one. */
  explain(error: unknown, refused: RefusedToken): Promise<never>;
}) {
  const { now, jwks, limits } = deps;
  const signatures = createFairQueue({
    running: JUDGED_AT_A_TIME,
    waitingPerKeyMax: WAITING_PER_PROJECT_MAX,
    waitingMax: WAITING_MAX,
  });
  const refused = createRefusedTokens(now);
  /** Calls that come together with one token, as after a start, share its verification. */
  const running = new Map<string, Promise<VerifiedUser>>();

  /** Everything that can be said without waiting. Throws the refusal. */
  function refuseEarly(attempt: Attempt, set: KeySet): void {
    const { projectId, digest } = attempt;
    if (refused.has(projectId, digest, listKeyObjects(set))) throw TOKEN_INVALID;
    const selection = select(attempt, set.keys);
    if (selection.verdict === 'undecided' && selection.keys.length > 0) {
      admit(attempt, selection);
      return;
    }
    const sources = sourcesOf(attempt, set);
    if (sources.length === 0) throw TOKEN_INVALID;
    const known = select(
      attempt,
      sources.flatMap((source) => jwks.current(source) ?? []),
    );
    if (known.verdict === 'undecided' && known.keys.length > 0) admit(attempt, known);
  }

  /** Throws `token_invalid` where the claims alone are reason enough, or where the token names a key that it does not fit. */
  function select({ token, projectId }: Attempt, keys: readonly VerificationKey[]): Undecided | Unknown {
    const selection = selectKeys(token, keys, { projectId, nowMs: now() });
    if (selection.verdict === 'invalid') throw TOKEN_INVALID;
    if (selection.verdict === 'undecided' && selection.keys.length === 0 && token.kid !== undefined) {
      throw TOKEN_INVALID;
    }
    return selection;
  }

  function admit(attempt: Attempt, { claims }: Undecided): void {
    if (attempt.suspect) return;
    const { network, projectId, digest } = attempt;
    const suspect = { network, projectId, subject: claims.subject, digest };
    limits.admit(suspect);
    attempt.suspect = suspect;
  }

  async function judge(attempt: Attempt, current: KeySet | undefined): Promise<User> {
    const set = current ?? (await deps.loadKeySet(attempt.projectId, attempt.network));
    if (!set) {
      limits.noteUnknownProject(attempt);
      throw TOKEN_INVALID;
    }
    try {
      return (await judgeBy(attempt, set, set.keys)) ?? (await judgeBySources(attempt, set));
    } catch (error) {
      if (attempt.isSignatureChecked && isTokenInvalid(error)) noteRefusal(attempt, set);
      throw error;
    }
  }

  function noteRefusal({ suspect, projectId, digest }: Attempt, set: KeySet): void {
    if (suspect) limits.noteRefused(suspect);
    refused.add(projectId, digest, listKeyObjects(set));
  }

  async function judgeBySources(attempt: Attempt, set: KeySet): Promise<User> {
    const sources = sourcesOf(attempt, set);
    const known = sources.map((source) => jwks.current(source));
    // What is fetched for this very token need not be fetched once more for its kid.
    const refetchable = sources.filter((_source, index) => known[index] !== undefined);
    const loaded = await Promise.all(sources.map((source, index) => known[index] ?? jwks.load(source)));
    const found = await judgeBy(
      attempt,
      set,
      loaded.flatMap((keys) => keys ?? []),
    );
    if (found) return found;
    const refetched =
      attempt.token.kid === undefined ? [] : refetchable.flatMap((source) => jwks.refetch(source) ?? []);
    const user = refetched.length > 0 && (await judgeBy(attempt, set, (await Promise.all(refetched)).flat()));
    if (user) return user;
    throw loaded.includes(undefined) ? keySetUnavailableError() : TOKEN_INVALID;
  }

  /** Undefined where none of these keys has the token's `kid`, or none verifies a token without one. */
  async function judgeBy(
    attempt: Attempt,
    set: KeySet,
    keys: readonly VerificationKey[],
  ): Promise<User | undefined> {
    const { projectId, token } = attempt;
    const selection = select(attempt, keys);
    if (selection.verdict === 'unknown_key' || selection.keys.length === 0) return undefined;
    admit(attempt, selection);
    attempt.isSignatureChecked = true;
    const found = await runInTurn(projectId, () => verifySelected(token, selection, now()));
    if (found.verdict === 'valid') return accept(attempt, found, set);
    if (found.verdict === 'expired') throw TOKEN_EXPIRED;
    if (token.kid === undefined) return undefined;
    throw TOKEN_INVALID;
  }

  function accept(
    { projectId, token }: Attempt,
    found: Extract<TokenVerdict, { verdict: 'valid' }>,
    set: KeySet,
  ): User {
    const { revocations } = set;
    limits.noteVerified(projectId, found.subject);
    const isDead = isRevoked(revocations, found);
    deps.keep({ ...found, text: token.text, projectId, clearedBy: isDead ? undefined : revocations });
    if (isDead) throw new HttpError('token_revoked');
    const { subject, membership, rights } = found;
    if (!hasParentKeys(set, rights)) throw TOKEN_INVALID;
    return { projectId, subject, membership, rights, isMandateRequired: set.requiresMandate };
  }

  function runInTurn(projectId: string, check: () => Promise<TokenVerdict>): Promise<TokenVerdict> {
    return signatures.run(projectId, check).catch((error: unknown) => {
      throw error instanceof QueueFullError ? overloaded() : error;
    });
  }

  function listKeyObjects(set: KeySet): readonly object[] {
    return [set.keys, ...set.sources.map((source) => jwks.current(source) ?? NO_KEYS)];
  }

  return (
    projectId: string,
    token: UnprovenToken,
    set: FoundKeySet | undefined,
    networkOfCaller: () => string,
  ): Promise<VerifiedUser> => {
    if (set === null) throw TOKEN_INVALID;
    const digest = hashToken(token.text);
    const name = `${projectId}${digest}`;
    const shared = running.get(name);
    if (shared) return shared;
    const attempt: Attempt = {
      projectId,
      token,
      digest,
      network: networkOfCaller(),
      suspect: undefined,
      isSignatureChecked: false,
    };
    if (set) refuseEarly(attempt, set);
    else limits.admitUnknownProject(attempt);
    const user = judge(attempt, set)
      .then((found) => deps.grant(found, found.isMandateRequired))
      .catch((error: unknown) => deps.explain(error, { projectId, text: token.text, networkOfCaller }))
      .finally(() => running.delete(name));
    running.set(name, user);
    return user;
  };
}

type Undecided = Extract<Selection, { verdict: 'undecided' }>;
type Unknown = { readonly verdict: 'unknown_key' };

const NO_KEYS: readonly VerificationKey[] = [];

/** Neither a stranger's token nor one for another project makes us call the identity provider. */
function sourcesOf({ token, projectId }: Attempt, { sources }: KeySet): readonly JwksSource[] {
  return sources.filter((source) => isMeantFor(token.payload, source, projectId));
}

/** Nothing was found wrong with the token: it is the identity provider that says nothing. */
function keySetUnavailableError(): HttpError {
  return new HttpError('key_set_unavailable', {
    headers: { 'Retry-After': '10' },
  });
}

function overloaded(): HttpError {
  return new HttpError('overloaded', {
    detail: 'More tokens than can be judged at once came for this project, or in all.',
    headers: { 'Retry-After': '1' },
  });
}

/**
 * One refusal for every reason: which check failed would help a forger. And one object: with its stack, an error costs
 * more than most of the checks.
 */
export const TOKEN_INVALID = new HttpError('token_invalid');

function isTokenInvalid(error: unknown): boolean {
  return error instanceof HttpError && error.code === 'token_invalid';
}
