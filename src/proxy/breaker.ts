import { LRUCache } from 'lru-cache';
import { HttpError } from '../http/errors.ts';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { FORBIDDEN_ADDRESS } from '../platform/address-guard.ts';
import { exchangeErrorCode } from './failures.ts';

/** Failed connections one after the other, none made meanwhile, before calls are refused at once. */
const FAILURES_MAX = 5;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 30_000;
/** A probe of which nothing was heard is given up: its caller may have left. */
const PROBE_MS = 15_000;
const ORIGINS_MAX = 10_000;

type Failing = { failures: number; pauseMs: number; pausedUntilMs: number; isProbed: boolean };

export type Breaker = ReturnType<typeof createBreaker>;

/**
 * Refuses calls at once to an origin to which no connection can be made, for a time that grows, with single calls in
 * between that try. Answers of any status, and failures once a connection was there, say that it can be reached. Counts
 * for each project: which host a tenant's variable names is the tenant's alone. In memory; a project whose providers
 * can be reached costs one comparison.
 */
export function createBreaker({ now = () => performance.now() }: { now?: () => number } = {}) {
  const failing = new LRUCache<string, Failing>(entriesUpTo(ORIGINS_MAX));

  return {
    /** Throws `upstream_paused`. Where a pause is over, the caller is the one that tries. */
    assertOpen(projectId: string, origin: string): void {
      if (failing.size === 0) return;
      const found = failing.get(`${projectId} ${origin}`);
      if (found === undefined || found.failures < FAILURES_MAX) return;
      const nowMs = now();
      if (nowMs < found.pausedUntilMs) throw pausedError(found.pausedUntilMs - nowMs);
      found.pausedUntilMs = nowMs + PROBE_MS;
      found.isProbed = true;
    },

    /** No connection could be made. */
    noteFailure(projectId: string, origin: string): void {
      const key = `${projectId} ${origin}`;
      const found = failing.get(key) ?? newFailing();
      failing.set(key, found);
      found.failures += 1;
      if (found.failures < FAILURES_MAX) return;
      // Calls that were under way when the pause began say nothing new.
      if (found.failures > FAILURES_MAX && !found.isProbed) return;
      found.isProbed = false;
      found.pauseMs = Math.min(found.pauseMs * 2, PAUSE_MAX_MS);
      found.pausedUntilMs = now() + found.pauseMs;
    },

    /** An exchange failed. */
    noteError(projectId: string, origin: string, cause: unknown): void {
      if (isConnectFailure(cause)) this.noteFailure(projectId, origin);
      else this.noteReached(projectId, origin);
    },

    /** There was a connection. */
    noteReached(projectId: string, origin: string): void {
      if (failing.size > 0) failing.delete(`${projectId} ${origin}`);
    },
  };
}

function newFailing(): Failing {
  return { failures: 0, pauseMs: FIRST_PAUSE_MS / 2, pausedUntilMs: 0, isProbed: false };
}

function pausedError(waitMs: number): HttpError {
  return new HttpError('upstream_paused', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });
}

/** Of sockets and name servers, before there is a connection. */
const CONNECT_FAILURES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENODATA',
  'ETIMEOUT',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'EPROTO',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);
const TLS_FAILURE = /^(?:CERT_|ERR_TLS_CERT_|ERR_SSL_(?!TLSV1|SSLV3_ALERT))/;

/** Whether an exchange failed before there was a connection, for a reason that its next ones have as well. */
export function isConnectFailure(cause: unknown): boolean {
  const code = exchangeErrorCode(cause);
  return code !== FORBIDDEN_ADDRESS && (CONNECT_FAILURES.has(code) || TLS_FAILURE.test(code));
}
