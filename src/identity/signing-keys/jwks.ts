import { LRUCache } from 'lru-cache';
import { HttpError } from '../../http/errors.ts';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { Log } from '../../platform/logger.ts';
import { isUserTokenAlgorithm, KID } from '../user-jwt/user-jwt.ts';
import type { VerificationKey } from '../user-jwt/verification-key.ts';
import { defaultAlgorithm, keyFault, keyOfJwk, thumbprint } from './key-material.ts';

/** A key set at a URL (RFC 7517 section 5), as one row of a project's signing keys names it. */
export type JwksSource = {
  readonly projectId: string;
  readonly signingKeyId: string;
  readonly url: string;
  readonly issuer: string | null;
  readonly audience: string | null;
};

export type Jwks = {
  /** The keys at hand; undefined when they must be fetched first, or cannot be had. Never waits; may fetch in the background. */
  current(source: JwksSource): readonly VerificationKey[] | undefined;
  /**
   * The keys, fetched if need be; undefined when the URL does not answer and what is held is too old. Rejects with
   * HttpError `overloaded` where too many callers wait for this URL already.
   */
  load(source: JwksSource): Promise<readonly VerificationKey[] | undefined>;
  /**
   * The keys fetched again, since a token names one that is not known; undefined within a minute of the last such try.
   * Rejects like `load`.
   */
  refetch(source: JwksSource): Promise<readonly VerificationKey[]> | undefined;
};

const KEYS_MAX = 20;
/** Reading a key costs time, so the useless ones are counted too. */
const ENTRIES_READ_MAX = 100;
const SOURCES_MAX = 5000;
const FRESH_MS = 10 * 60_000;
/** How long past FRESH_MS a call may be served while the fetch that it set off is still running. */
const BACKGROUND_MS = 60_000;
const STALE_MS = 60 * 60_000;
const UNKNOWN_KID_MS = 60_000;
const RETRY_MS = 10_000;
/** Callers that wait for one URL. Those of other URLs are not counted: a silent identity provider holds up its own. */
const WAITING_MAX = 200;

type Held = {
  keys: readonly VerificationKey[];
  /** When the keys were last fetched; -Infinity before. */
  fetchedAt: number;
  /** When the latest try began; -Infinity before. */
  triedAt: number;
  /** When an unknown key id last led to a fetch; -Infinity before. */
  refetchedAt: number;
  isFailing: boolean;
  fetching: Promise<void> | undefined;
  waiting: number;
};

/**
 * Key sets of identity providers: fetched on first use, again after 10 minutes, and for an unknown key id at most once
 * a minute. While the URL fails, keys serve for an hour after they were fetched, and none afterwards (fail closed).
 * `fetchJwks` answers the parsed body and is bounded in time and size.
 */
export function createJwks(deps: {
  fetchJwks(url: string): Promise<unknown>;
  now(): number;
  log: Pick<Log, 'warn'>;
}): Jwks {
  const { now, log } = deps;
  const sources = new LRUCache<string, Held>(entriesUpTo(SOURCES_MAX));

  function getHeld(source: JwksSource): Held {
    const name = `${source.signingKeyId} ${source.url}`;
    const held = sources.get(name) ?? {
      keys: [],
      fetchedAt: Number.NEGATIVE_INFINITY,
      triedAt: Number.NEGATIVE_INFINITY,
      refetchedAt: Number.NEGATIVE_INFINITY,
      isFailing: false,
      fetching: undefined,
      waiting: 0,
    };
    sources.set(name, held);
    return held;
  }

  function fetchInto(held: Held, source: JwksSource): Promise<void> {
    held.fetching ??= fetchOnce(held, source).finally(() => {
      held.fetching = undefined;
    });
    return held.fetching;
  }

  async function waitFor(held: Held, fetching: Promise<void>): Promise<void> {
    if (held.waiting >= WAITING_MAX) throw tooManyWaitingError();
    held.waiting += 1;
    await fetching.finally(() => {
      held.waiting -= 1;
    });
  }

  async function fetchOnce(held: Held, source: JwksSource): Promise<void> {
    const startedAt = now();
    held.triedAt = startedAt;
    try {
      const keys = parseJwks(await deps.fetchJwks(source.url), source);
      held.keys = keys;
      held.fetchedAt = startedAt;
      held.isFailing = false;
    } catch (error) {
      held.isFailing = true;
      const { projectId, signingKeyId } = source;
      log.warn({ err: error, projectId, signingKeyId }, 'A JWKS could not be fetched');
    }
  }

  const hasJustFailed = (held: Held) => held.isFailing && !held.fetching && now() - held.triedAt < RETRY_MS;
  const usable = (held: Held) => (now() - held.fetchedAt < STALE_MS ? held.keys : undefined);

  return {
    current(source) {
      const held = getHeld(source);
      const age = now() - held.fetchedAt;
      if (age < FRESH_MS) return held.keys;
      if (hasJustFailed(held)) return usable(held);
      // While the URL answers, no caller is served keys that are much older than FRESH_MS.
      if (age >= (held.isFailing ? STALE_MS : FRESH_MS + BACKGROUND_MS)) return undefined;
      void fetchInto(held, source);
      return held.keys;
    },

    async load(source) {
      const held = getHeld(source);
      if (now() - held.fetchedAt >= FRESH_MS && !hasJustFailed(held)) {
        await waitFor(held, fetchInto(held, source));
      }
      return usable(held);
    },

    refetch(source) {
      const held = getHeld(source);
      // The first fetch does not count: a provider may rotate its keys right after it.
      const isTooSoon = now() - held.refetchedAt < UNKNOWN_KID_MS || hasJustFailed(held);
      if (isTooSoon && !held.fetching) return undefined;
      held.refetchedAt = now();
      return waitFor(held, fetchInto(held, source)).then(() => usable(held) ?? []);
    },
  };
}

function tooManyWaitingError(): HttpError {
  return new HttpError('overloaded', {
    detail: 'Too many calls wait for the key set of the identity provider that issues these tokens.',
    headers: { 'Retry-After': '5' },
  });
}

/**
 * The keys of a JWK Set that can verify user tokens, at most 20. Others are passed over without a word: private and
 * shared keys, keys for encryption, weak keys, unknown algorithms. Throws when the document is no JWK Set.
 */
export function parseJwks(
  document: unknown,
  source: Pick<JwksSource, 'signingKeyId' | 'issuer' | 'audience'>,
): VerificationKey[] {
  if (!isRecord(document) || !Array.isArray(document.keys)) throw new Error('The answer is no JWK Set');
  const keys: VerificationKey[] = [];
  for (const jwk of document.keys.slice(0, ENTRIES_READ_MAX)) {
    const key = isRecord(jwk) ? findVerificationKey(jwk, source) : undefined;
    if (key) keys.push(key);
    if (keys.length === KEYS_MAX) break;
  }
  return keys;
}

/** The key of one entry of a JWK Set; undefined where it cannot verify user tokens. */
export function findVerificationKey(
  jwk: Record<string, unknown>,
  { signingKeyId, issuer, audience }: Pick<JwksSource, 'signingKeyId' | 'issuer' | 'audience'>,
): VerificationKey | undefined {
  const { kid = null, use = 'sig', key_ops: operations = ['verify'] } = jwk;
  if (use !== 'sig' || !(Array.isArray(operations) && operations.includes('verify'))) return undefined;
  if (kid !== null && !(typeof kid === 'string' && KID.test(kid))) return undefined;
  const key = keyOfJwk(jwk);
  const alg = jwk.alg ?? (key && defaultAlgorithm(key));
  if (!key || !isUserTokenAlgorithm(alg) || keyFault(key, alg)) return undefined;
  const identity = [signingKeyId, thumbprint(key), alg, kid, issuer, audience]
    .map((part) => part ?? '')
    .join('\n');
  return { identity, kid, alg, key, issuer, audience, isManaged: false };
}
