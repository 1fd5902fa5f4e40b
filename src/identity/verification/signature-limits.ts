import { LRUCache } from 'lru-cache';
import { HttpError } from '../../http/errors.ts';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import { createRateLimiter, type RateLimiter } from '../../lib/rate-limit.ts';

/** A token whose signature would have to be checked, and where it came from. */
export type UnverifiedToken = {
  /** The address of the caller, or its /64. */
  readonly network: string;
  readonly projectId: string;
  readonly subject: string;
  readonly digest: string;
};

/** Where a look-up for a project that is not in memory came from. */
type UnknownProjectToken = Pick<UnverifiedToken, 'network' | 'digest'>;

const WINDOW_SECONDS = 60;
/** Forged tokens in the name of one user from one address: others at that address are not held up by them. */
const PER_USER = 60;
const PER_PROJECT = 1_200;
const IN_ALL = 6_000;
/** Forged tokens in the name of users who are known: bounds an attacker who has learnt user ids. */
const OF_KNOWN_USERS = 3_000;
const KNOWN_USERS_MAX = 50_000;
/** Tokens that are sent again after a 429, per address and in all. */
const SECOND_TRIES_PER_NETWORK = 600;
const SECOND_TRIES_IN_ALL = 3_000;
const RETRY_AFTER_MS = 1_000;
/** `Retry-After` is in whole seconds, and a caller's clock may run a little faster than ours. */
const RETRY_TOLERANCE_MS = 100;
const SECOND_TRY_WITHIN_MS = 60_000;
const WAITING_MAX = 20_000;
const USERS_MAX = 20_000;

/**
 * Bounds how much work forged tokens can cause, before any signature is checked and any unknown project is looked up.
 * Only tokens that turn out to be bad are counted (`noteRefused`), per user, address and project and in all, so that any
 * number of good ones may come at once, as after a restart. Where a limit is used up, a new token of a user who has
 * shown a good one before is judged all the same. Any other token is answered 429 and remembered; the same token is
 * judged when it comes again after the wait. So an honest user behind the address of an attacker gets in with the
 * second try: an attacker seldom sends the same forged token twice. `perNetwork` 0 switches the limit per address off.
 * `now` is in milliseconds and must never go backwards.
 */
export function createSignatureLimits(options: { perNetwork: number; now(): number }) {
  const { perNetwork, now } = options;
  const users = limiterOf(PER_USER, USERS_MAX);
  const networks = perNetwork > 0 ? limiterOf(perNetwork) : undefined;
  const projects = limiterOf(PER_PROJECT);
  const inAll = limiterOf(IN_ALL, 1);
  const unknownProjects = limiterOf(PER_PROJECT, 1);
  const ofKnownUsers = limiterOf(OF_KNOWN_USERS, 1);
  const knownUsers = new LRUCache<string, true>(entriesUpTo(KNOWN_USERS_MAX));
  const secondTries = createSecondTries(now);
  const userKey = ({ network, projectId, subject }: UnverifiedToken) => `${network} ${projectId} ${subject}`;

  function isWithinLimits(suspect: UnverifiedToken, nowMs: number): boolean {
    if (!users.peek(userKey(suspect), nowMs).allowed) return false;
    if (isKnown(suspect) && ofKnownUsers.peek('', nowMs).allowed) return true;
    return (
      inAll.peek('', nowMs).allowed &&
      projects.peek(suspect.projectId, nowMs).allowed &&
      (networks?.peek(suspect.network, nowMs).allowed ?? true)
    );
  }

  function isKnown({ projectId, subject }: UnverifiedToken): boolean {
    return knownUsers.has(`${projectId} ${subject}`);
  }

  return {
    /** Throws `rate_limited` where the token must not be judged now. */
    admit(suspect: UnverifiedToken): void {
      if (!isWithinLimits(suspect, now())) secondTries.admit(suspect);
    },

    /** A token of this user had a good signature. */
    noteVerified(projectId: string, subject: string): void {
      knownUsers.set(`${projectId} ${subject}`, true);
    },

    /** A signature was found invalid. */
    noteRefused(suspect: UnverifiedToken): void {
      const nowMs = now();
      users.check(userKey(suspect), nowMs);
      networks?.check(suspect.network, nowMs);
      projects.check(suspect.projectId, nowMs);
      inAll.check('', nowMs);
      if (isKnown(suspect)) ofKnownUsers.check('', nowMs);
    },

    /** The same for a token of a project that is not in memory and may not exist. */
    admitUnknownProject(stranger: UnknownProjectToken): void {
      const nowMs = now();
      const isAllowed =
        unknownProjects.peek('', nowMs).allowed && (networks?.peek(stranger.network, nowMs).allowed ?? true);
      if (!isAllowed) secondTries.admit(stranger);
    },

    /** A project was not found. */
    noteUnknownProject({ network }: UnknownProjectToken): void {
      const nowMs = now();
      networks?.check(network, nowMs);
      unknownProjects.check('', nowMs);
    },
  };
}

export type SignatureLimits = ReturnType<typeof createSignatureLimits>;

/** Made once: with its stack, an error costs more than all the checks before it, and a flood meets thousands a second. */
export const RETRY_LATER = new HttpError('rate_limited', {
  detail: 'Too many tokens with a wrong signature came from this address, or for this project.',
  headers: { 'Retry-After': String(RETRY_AFTER_MS / 1000) },
});

function createSecondTries(now: () => number) {
  const firstTriedAtMs = new LRUCache<string, number>(entriesUpTo(WAITING_MAX));
  const networks = limiterOf(SECOND_TRIES_PER_NETWORK);
  const inAll = limiterOf(SECOND_TRIES_IN_ALL, 1);
  return {
    /** Throws `rate_limited`, unless the token was answered so before and its caller has waited. */
    admit({ digest, network }: UnknownProjectToken): void {
      const nowMs = now();
      const waitedMs = nowMs - (firstTriedAtMs.get(digest) ?? nowMs);
      const isSecondTry =
        waitedMs >= RETRY_AFTER_MS - RETRY_TOLERANCE_MS &&
        waitedMs <= SECOND_TRY_WITHIN_MS &&
        networks.check(network, nowMs).allowed &&
        inAll.check('', nowMs).allowed;
      if (isSecondTry) {
        firstTriedAtMs.delete(digest);
        return;
      }
      if (waitedMs === 0 || waitedMs > SECOND_TRY_WITHIN_MS) firstTriedAtMs.set(digest, nowMs);
      throw RETRY_LATER;
    },
  };
}

function limiterOf(limit: number, keysMax?: number): RateLimiter {
  return createRateLimiter({ limit, windowSeconds: WINDOW_SECONDS, ...(keysMax && { keysMax }) });
}
