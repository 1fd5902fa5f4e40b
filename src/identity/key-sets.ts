import { HttpError } from '../http/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../platform/logger.ts';
import { createJwks, type JwksSource } from './jwks.ts';
import { createKeySetCache, type FoundKeySet, type KeySet, type StoredKey } from './key-set-cache.ts';
import {
  audiencesOf,
  isMeantFor,
  readUserToken,
  type UnprovenToken,
  type VerificationKey,
  verifyUserToken as verdictOn,
} from './user-jwt.ts';
import { createVerifiedTokens, hasExpired } from './verified-tokens.ts';

export type { StoredKey } from './key-set-cache.ts';

/** The end user whom a verified user token names. */
export type VerifiedUser = { readonly projectId: string; readonly subject: string };

export type KeySets = {
  /**
   * The user of a token that is valid for this project. A plain value when everything needed is in memory, so that
   * the proxy need not wait. Throws (or rejects with) HttpError `token_expired` when time alone is against the token,
   * `token_invalid` for every other reason, an unknown project among them, and `store_unavailable` where the keys cannot
   * be had.
   */
  verifyUserToken(projectId: string, token: string): VerifiedUser | Promise<VerifiedUser>;
  /** The same where no path names the project: the caller does, or it is one of the UUIDs in `aud` (3 are tried). */
  verifyManagementToken(token: string, projectId?: string): Promise<VerifiedUser>;
  /** Drops what is known of the project's keys. To be called on every change of them, whoever made it. */
  invalidate(projectId: string): void;
  /** Has every project's keys read anew. To be called when changes may have been missed. */
  distrustAll(): void;
};

const PROJECTS_TRIED_MAX = 3;
/** Verifications under way or waiting for a thread, about 25 ms of work for each of four threads. */
const JUDGING_MAX = 1_000;

/**
 * Verifies user tokens with the signing keys of their project, which are kept in memory and read through
 * `loadProjectKeys` (undefined: no such project). `fetchJwks` gets the parsed body at an https URL and must be bounded
 * in time and size; `now` is in milliseconds.
 */
export function createKeySets(deps: {
  loadProjectKeys(projectId: string): Promise<readonly StoredKey[] | undefined>;
  fetchJwks(url: string): Promise<unknown>;
  now(): number;
  log: Pick<Log, 'warn' | 'error'>;
}): KeySets {
  const { now } = deps;
  const cache = createKeySetCache(deps);
  const jwks = createJwks(deps);
  const verified = createVerifiedTokens();
  /** By project and token, so that one token sent to many projects counts as often as it is judged. */
  const judging = new Map<string, Promise<VerifiedUser>>();

  function verifyUserToken(projectId: string, text: string): VerifiedUser | Promise<VerifiedUser> {
    const id = projectId.toLowerCase();
    const set = cache.current(id);
    const seen = set && findVerified(id, text, set);
    if (seen) return seen;
    const token = readUserToken(text);
    if (!token || !isUuid(id)) throw invalid();
    return judgeOnce(id, token, set);
  }

  /** Calls that come together with one token, as after a start, share its verification. */
  function judgeOnce(id: string, token: UnprovenToken, set: FoundKeySet | undefined): Promise<VerifiedUser> {
    const name = `${id} ${token.text}`;
    const running = judging.get(name);
    if (running) return running;
    if (judging.size >= JUDGING_MAX) throw new HttpError('overloaded', { headers: { 'Retry-After': '1' } });
    const user = judge(id, token, set).finally(() => judging.delete(name));
    judging.set(name, user);
    return user;
  }

  function findVerified(projectId: string, text: string, set: KeySet): VerifiedUser | undefined {
    const entry = verified.get(text);
    if (!entry || entry.projectId !== projectId || !hasKey(set, entry.keyIdentity)) return undefined;
    if (!hasExpired(entry, now())) return { projectId, subject: entry.subject };
    verified.delete(text);
    throw new HttpError('token_expired');
  }

  function hasKey(set: KeySet, identity: string): boolean {
    const isIt = (key: VerificationKey) => key.identity === identity;
    return set.keys.some(isIt) || set.sources.some((source) => jwks.current(source)?.some(isIt));
  }

  async function judge(
    projectId: string,
    token: UnprovenToken,
    current: FoundKeySet | undefined,
  ): Promise<VerifiedUser> {
    const set = current === undefined ? await cache.load(projectId) : current;
    if (!set) throw invalid();
    const user = await userBy(set.keys, projectId, token);
    if (user !== 'unknown_key') return user;
    // Neither a stranger's token nor one for another project makes us call the identity provider.
    const sources = set.sources.filter((source) => isMeantFor(token.payload, source, projectId));
    const known = sources.map((source) => jwks.current(source));
    // What is fetched for this very token need not be fetched once more for its kid.
    const held = sources.filter((_source, index) => known[index] !== undefined);
    const loaded = await Promise.all(sources.map((source, index) => known[index] ?? jwks.load(source)));
    const found = await judgeByJwks(
      projectId,
      token,
      held,
      loaded.flatMap((keys) => keys ?? []),
    );
    if (found !== 'unknown_key') return found;
    throw loaded.includes(undefined) ? keySetUnavailable() : invalid();
  }

  /** `refetchable`: the key sets that may have changed since they were fetched. */
  async function judgeByJwks(
    projectId: string,
    token: UnprovenToken,
    refetchable: readonly JwksSource[],
    keys: readonly VerificationKey[],
  ): Promise<VerifiedUser | 'unknown_key'> {
    const user = await userBy(keys, projectId, token);
    if (user !== 'unknown_key') return user;
    const refetched =
      token.kid === undefined ? [] : refetchable.flatMap((source) => jwks.refetch(source) ?? []);
    if (refetched.length === 0) return 'unknown_key';
    return userBy((await Promise.all(refetched)).flat(), projectId, token);
  }

  /** `unknown_key`: none of these keys has the token's `kid`, or none verifies a token without one. */
  async function userBy(
    keys: readonly VerificationKey[],
    projectId: string,
    token: UnprovenToken,
  ): Promise<VerifiedUser | 'unknown_key'> {
    const found = await verdictOn(token, keys, { projectId, nowMs: now() });
    if (found.verdict === 'valid') {
      const { subject, expiresAtMs, keyIdentity } = found;
      verified.set({ text: token.text, projectId, subject, expiresAtMs, keyIdentity });
      return { projectId, subject };
    }
    if (found.verdict === 'expired') throw new HttpError('token_expired');
    if (found.verdict === 'unknown_key' || token.kid === undefined) return 'unknown_key';
    throw invalid();
  }

  async function verifyManagementToken(text: string, named?: string): Promise<VerifiedUser> {
    if (named !== undefined) return verifyUserToken(named, text);
    const token = readUserToken(text);
    const projectIds = token ? audiencesOf(token.payload).filter(isUuid).slice(0, PROJECTS_TRIED_MAX) : [];
    let refusal = invalid();
    for (const projectId of projectIds) {
      try {
        return await verifyUserToken(projectId, text);
      } catch (error) {
        if (!(error instanceof HttpError) || error.status !== 401) throw error;
        if (error.code === 'token_expired') refusal = error;
      }
    }
    throw refusal;
  }

  return {
    verifyUserToken,
    verifyManagementToken,
    invalidate: (projectId) => cache.invalidate(projectId.toLowerCase()),
    distrustAll: () => cache.distrustAll(),
  };
}

/** Nothing was found wrong with the token: it is the identity provider that says nothing. */
function keySetUnavailable(): HttpError {
  return new HttpError('store_unavailable', {
    detail: 'The key set of the identity provider that issues these tokens cannot be fetched.',
    headers: { 'Retry-After': '10' },
  });
}

/** One refusal for every reason: which check failed would help a forger. */
function invalid(): HttpError {
  return new HttpError('token_invalid');
}
