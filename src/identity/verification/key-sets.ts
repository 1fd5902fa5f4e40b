import { HttpError } from '../../http/errors.ts';
import type { TokenRefusal } from '../../http/token-refusal.ts';
import { createFairQueue, QueueFullError } from '../../lib/fair-queue.ts';
import { isUuid } from '../../lib/ids.ts';
import type { Log } from '../../platform/logger.ts';
import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import type { NamedMandates } from '../mandates/named-mandates.ts';
import { isRevoked } from '../revocations/revocations.ts';
import { createJwks, type Jwks } from '../signing-keys/jwks.ts';
import {
  createKeySetCache,
  type FoundKeySet,
  type KeySet,
  type KeySetCacheDependencies,
} from '../signing-keys/key-set-cache.ts';
import { listAudiences } from '../user-jwt/claims.ts';
import { readUserToken } from '../user-jwt/user-jwt.ts';
import type { VerificationKey } from '../user-jwt/verification-key.ts';
import { hasParentKeys } from './parent-keys.ts';
import { createSignatureLimits, RETRY_LATER } from './signature-limits.ts';
import { createSlowRefusals } from './slow-refusals.ts';
import { createTokenRefusals, type RefusedToken, TOKEN_EXPIRED } from './token-refusals.ts';
import { createTokenVerifier, TOKEN_INVALID } from './token-verifier.ts';
import { createUserRights, type VerifiedUser } from './user-rights.ts';
import { createVerifiedTokens, hasExpired, type VerifiedToken } from './verified-tokens.ts';

export type { StoredKey } from '../signing-keys/key-set-cache.ts';

/** The caller's address, or its /64. Asked only for tokens that are not known. */
type NetworkOfCaller = () => string;

export type AdmittedPerson = Pick<
  VerifiedToken,
  'projectId' | 'subject' | 'membership' | 'issuedAtMs' | 'rights'
>;

export type KeySets = {
  /**
   * The user of a token that is valid for this project. A plain value when everything needed is in memory, so that
   * the proxy need not wait. Throws (or rejects with) HttpError `token_expired` when time alone is against the token,
   * `token_revoked`, `token_invalid` for every other reason, an unknown project among them, `store_unavailable` where
   * the keys cannot be had, `rate_limited` and `overloaded` where the token could not be judged now.
   */
  verifyUserToken(
    projectId: string,
    token: string,
    networkOfCaller: NetworkOfCaller,
  ): VerifiedUser | Promise<VerifiedUser>;
  /** The same where no path names the project: the caller does, or it is one of the UUIDs in `aud` (3 are tried). */
  verifyManagementToken(
    token: string,
    networkOfCaller: NetworkOfCaller,
    projectId?: string,
  ): Promise<VerifiedUser>;
  /**
   * The user for whom something speaks that a verified token has led to: as long as the project is there, and no revocation
   * is about a token of that time. Refuses as `verifyUserToken` does.
   */
  admitUser(person: AdmittedPerson, networkOfCaller: NetworkOfCaller): VerifiedUser | Promise<VerifiedUser>;
  /** What is known of a token that was verified lately. */
  recall(token: string): VerifiedToken | undefined;
  /**
   * Drops what is known of the project's keys and revocations. To be called on every change, of this process or
   * another.
   */
  invalidate(projectId: string): void;
  /** Has every project's keys read again. To be called when changes may have been missed. */
  markAllStale(): void;
  /** While change notices do not arrive, keys and revocations are read again twice a second. */
  setHasNotices(value: boolean): void;
};

type KeySetsDependencies = KeySetCacheDependencies & {
  /** The parsed body at an https URL; bounded in time and size. */
  fetchJwks(url: string): Promise<unknown>;
  log: Pick<Log, 'warn' | 'error'>;
  /** Tokens with a wrong signature that one address may send in a minute before it has to wait; 0: any number. */
  refusedPerNetworkPerMinute: number;
  /** Calls of the flood that may be held briefly before they are refused; 0: each is refused at once. */
  heldRefusalsMax: number;
  /** A mandate that a token names. */
  findMandate: NamedMandates['find'];
  /** Hears why a token of the project was refused, of some of them; must not throw. */
  noteRefusedToken(projectId: string, refusal: TokenRefusal): void;
  /** Milliseconds on a clock that never goes backwards; the process's own where left out. */
  elapsedMs?(): number;
};

const PROJECTS_TRIED_MAX = 3;
/** Short enough for a person, who then waits a second anyway. */
const REFUSAL_DELAY_MS = 200;
/** Below the size of the connection pool, which other queries need as well. */
const LOADED_AT_A_TIME = 4;
const LOADING_PER_CALLER_MAX = 200;
const LOADING_MAX = 2_000;

/**
 * Verifies user tokens with the signing keys of their project, which are kept in memory. A token that was verified
 * before costs a look-up. An unknown one passes everything that is cheap first (form, claims, kid), then the limits on
 * forged tokens, then a queue in which projects take turns; waiting for an identity provider holds no place in it.
 */
export function createKeySets(deps: KeySetsDependencies): KeySets {
  const { now, elapsedMs = () => performance.now() } = deps;
  const loads = createFairQueue({
    running: LOADED_AT_A_TIME,
    waitingPerKeyMax: LOADING_PER_CALLER_MAX,
    waitingMax: LOADING_MAX,
  });
  const cache = createKeySetCache({
    ...deps,
    loadProjectKeys: (projectId, caller) =>
      loads.run(caller ?? '', () => deps.loadProjectKeys(projectId, caller)),
  });
  const jwks = createJwks(deps);
  const verified = createVerifiedTokens();
  const grant = createUserRights((projectId, id) => {
    const found = deps.findMandate(projectId, id);
    return found instanceof Promise ? found.catch(unavailable) : found;
  });
  const refusals = createTokenRefusals({ ...deps, elapsedMs, listKeys: listKnownKeys });
  const refuseSlowly = createSlowRefusals({ delayMs: REFUSAL_DELAY_MS, heldMax: deps.heldRefusalsMax });
  const judge = createTokenVerifier({
    now,
    jwks,
    explain,
    grant,
    keep: (token) => verified.set(token),
    limits: createSignatureLimits({ perNetwork: deps.refusedPerNetworkPerMinute, now: elapsedMs }),
    loadKeySet: (projectId, caller) => cache.load(projectId, caller).then(({ value }) => value, unavailable),
  });

  function verifyUserToken(
    projectId: string,
    text: string,
    networkOfCaller: NetworkOfCaller,
  ): VerifiedUser | Promise<VerifiedUser> {
    const id = projectId.toLowerCase();
    const set = cache.current(id, undefined);
    const seen = set && findVerified(id, text, set, networkOfCaller);
    return seen || judgeUnknown({ projectId: id, text, networkOfCaller }, set);
  }

  function judgeUnknown(refused: RefusedToken, set: FoundKeySet | undefined): Promise<VerifiedUser> {
    const { projectId, text, networkOfCaller } = refused;
    const token = readUserToken(text);
    if (!token || !isUuid(projectId)) return explain(TOKEN_INVALID, refused);
    try {
      return judge(projectId, token, set, networkOfCaller);
    } catch (error) {
      if (error === RETRY_LATER) return refuseSlowly(RETRY_LATER);
      return explain(error, refused);
    }
  }

  /** Throws or rejects with the error, which carries the reason where the token is looked at. */
  function explain(error: unknown, refused: RefusedToken): Promise<never> {
    if (error === TOKEN_EXPIRED) throw refusals.explainExpired(refused);
    const explained = error === TOKEN_INVALID ? refusals.explainInvalid(refused) : undefined;
    if (explained === undefined) throw error;
    return explained.then((found) => Promise.reject(found));
  }

  function listKnownKeys(projectId: string): readonly VerificationKey[] | undefined {
    const set = cache.current(projectId, undefined);
    return set ? [...set.keys, ...set.sources.flatMap((source) => jwks.current(source) ?? [])] : undefined;
  }

  function findVerified(
    projectId: string,
    text: string,
    set: KeySet,
    networkOfCaller: NetworkOfCaller,
  ): VerifiedUser | Promise<VerifiedUser> | undefined {
    const entry = verified.get(text);
    if (!entry || entry.projectId !== projectId || !hasKey(set, jwks, entry.keyIdentity)) return undefined;
    if (entry.rights !== undefined && !hasParentKeys(set, entry.rights)) return undefined;
    if (hasExpired(entry, now())) {
      verified.delete(text);
      throw refusals.explainExpired({ projectId, text, networkOfCaller });
    }
    // The revocations stay the same object until they change: this compares two pointers.
    if (entry.clearedBy !== set.revocations) {
      if (isRevoked(set.revocations, entry)) throw new HttpError('token_revoked');
      entry.clearedBy = set.revocations;
    }
    return grant(entry, set.requiresMandate);
  }

  function admitUser(
    person: AdmittedPerson,
    networkOfCaller: NetworkOfCaller,
  ): VerifiedUser | Promise<VerifiedUser> {
    const { projectId } = person;
    const set = cache.current(projectId, undefined);
    if (set) return admitBy(set, person);
    return cache
      .load(projectId, networkOfCaller())
      .then(({ value }) => value, unavailable)
      .then((found) => {
        if (!found) throw TOKEN_INVALID;
        return admitBy(found, person);
      });
  }

  function admitBy(set: KeySet, person: AdmittedPerson): VerifiedUser | Promise<VerifiedUser> {
    if (isRevoked(set.revocations, { ...person, jti: null })) throw new HttpError('token_revoked');
    return grant(person, set.requiresMandate);
  }

  async function verifyManagementToken(
    text: string,
    networkOfCaller: NetworkOfCaller,
    named?: string,
  ): Promise<VerifiedUser> {
    if (named !== undefined) return verifyUserToken(named, text, networkOfCaller);
    const token = readUserToken(text);
    const projectIds = token ? listAudiences(token.payload).filter(isUuid).slice(0, PROJECTS_TRIED_MAX) : [];
    let refusal = TOKEN_INVALID;
    for (const projectId of projectIds) {
      try {
        return await verifyUserToken(projectId, text, networkOfCaller);
      } catch (error) {
        if (!(error instanceof HttpError) || error.status !== 401) throw error;
        if (error.code !== 'token_invalid') refusal = error;
      }
    }
    throw refusal;
  }

  return {
    verifyUserToken,
    verifyManagementToken,
    admitUser,
    recall: (token) => verified.get(token),
    invalidate: (projectId) => cache.change(projectId.toLowerCase(), undefined),
    markAllStale: () => cache.markAllStale(),
    setHasNotices: (value) => cache.setHasNotices(value),
  };
}

function hasKey(set: KeySet, jwks: Jwks, identity: string): boolean {
  const isIt = (key: VerificationKey) => key.identity === identity;
  return set.keys.some(isIt) || set.sources.some((source) => jwks.current(source)?.some(isIt));
}

/** The store is away, or too many callers wait for keys that are not in memory. */
function unavailable(error: unknown): never {
  if (error instanceof QueueFullError) {
    throw new HttpError('overloaded', {
      detail: 'Too many calls wait for the keys of projects that are not in memory.',
      headers: { 'Retry-After': '1' },
    });
  }
  throw isTransientStoreError(error) ? new HttpError('store_unavailable', { cause: error }) : error;
}
