import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http/errors.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import type { NeededApproval, ResolvedConnection, VerifiedUser } from './contract.ts';
import type { RequestFields } from './request-fields.ts';
import type { ProxyTarget } from './target.ts';

const HOUR_SECONDS = 60 * 60;
const COUNTED_MAX = 100_000;
const PATH_SHOWN_MAX = 200;

export type MandateCheck = (
  user: VerifiedUser,
  connection: ResolvedConnection,
  call: {
    readonly request: IncomingMessage;
    readonly target: ProxyTarget;
    readonly fields: RequestFields;
  },
) => NeededApproval | undefined;

/**
 * Holds calls to the mandates of their tokens. Every door's call passes here, after its connection is known and before
 * any byte goes to the provider. Answers the approval that a call needs. Throws `mandate_invalid`, `mandate_denied`, and `rate_limited` where an entry's calls of
 * this hour are used up, counted in this process for the user and the entry.
 */
export function createMandateCheck(): MandateCheck {
  const counts = createRateLimiter({ limit: 1, windowSeconds: HOUR_SECONDS, keysMax: COUNTED_MAX });
  return ({ projectId, subject, mandate: held }, connection, { request, target, fields }) => {
    if (held === undefined) return undefined;
    if (held.fault !== undefined) throw new HttpError('mandate_invalid', { detail: `${held.fault}.` });
    const { method = 'GET' } = request;
    const decision = held.mandate.decide({
      provider: target.provider,
      connectionId: connection.connectionId,
      host: target.host,
      method,
      rawPath: target.rawPath,
      rawQuery: target.rawQuery,
      rawHeaders: request.rawHeaders,
      hasBody: fields.contentLength !== undefined || fields.transferEncoding !== undefined,
      facts: connection.accessFacts,
    });
    if (!decision.isAllowed) throw deniedError(method, target, decision.reason);
    const { perHour, key = '' } = held.limits[decision.entry] ?? {};
    if (perHour !== undefined) {
      const rate = { limit: perHour, windowSeconds: HOUR_SECONDS };
      const state = counts.check(`${projectId} ${subject} ${key}`, undefined, rate);
      if (!state.allowed) throw usedUpError(perHour, state.retryAfterSeconds);
    }
    const { approval } = decision;
    return approval === 'none' ? undefined : { mode: approval, entry: decision.entry, entryKey: key };
  };
}

function deniedError(method: string, { provider, rawPath }: ProxyTarget, reason: string): HttpError {
  const path = rawPath.length > PATH_SHOWN_MAX ? `${rawPath.slice(0, PATH_SHOWN_MAX)}…` : rawPath || '/';
  return new HttpError('mandate_denied', { detail: `${method} ${path} at ${provider}: ${reason}.` });
}

function usedUpError(perHour: number, seconds: number): HttpError {
  return new HttpError('rate_limited', {
    detail: `The mandate allows ${perHour} such calls an hour.`,
    headers: { 'Retry-After': String(seconds) },
  });
}
