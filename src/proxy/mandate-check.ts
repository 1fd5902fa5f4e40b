import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http/errors.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { BODY_BYTES_MAX, type MandatedCall } from '../mandates/call.ts';
import { CallReading, type MandateDecision } from '../mandates/mandate.ts';
import type { HourlyLimit, MandatePart } from '../mandates/user-mandate.ts';
import type { MaybePromise, NeededApproval, ResolvedConnection, VerifiedUser } from './contract.ts';
import type { RequestFields } from './request-fields.ts';
import type { ProxyTarget } from './target.ts';

const HOUR_SECONDS = 60 * 60;
const COUNTED_MAX = 100_000;
const PATH_SHOWN_MAX = 200;

export type CheckedCall = {
  readonly request: IncomingMessage;
  readonly target: ProxyTarget;
  readonly fields: RequestFields;
  /** Undefined: the body is longer. */
  holdBody(bytesMax: number): Promise<Uint8Array | undefined>;
};

export type MandateCheck = (
  user: VerifiedUser,
  connection: ResolvedConnection,
  call: CheckedCall,
  /** Hears for each part of the mandate which entry allows the call. */
  note: (entries: readonly number[]) => void,
) => MaybePromise<NeededApproval | undefined>;

type Allowed = Extract<MandateDecision, { isAllowed: true }>;
type Choice = Allowed | 'needs_body' | HttpError;
type Settled = NeededApproval | 'needs_body' | undefined;

/**
 * Holds calls to the mandates of their tokens. Every door's call passes here, after its connection is known and before
 * any byte goes to the provider. Gives the approval that the call needs first. Throws or rejects with the refusal of the mandate, `mandate_denied`, and `rate_limited`
 * where an entry's calls of this hour are used up, counted in this process for the user and the entry.
 */
export function createMandateCheck(): MandateCheck {
  const counts = createRateLimiter({ limit: 1, windowSeconds: HOUR_SECONDS, keysMax: COUNTED_MAX });

  /** The entry that allows the call and has calls left. */
  function choose(
    { mandate, limits }: MandatePart,
    call: MandatedCall,
    reading: CallReading,
    owner: string,
  ): Choice {
    const findFull = (entry: number) => limits[entry]?.find((limit) => !isLeft(limit, owner));
    const decision = mandate.decide(call, (entry) => findFull(entry) === undefined, reading);
    if (decision.isAllowed) return decision;
    if (decision.needsBody === true) return 'needs_body';
    const full = decision.usedUp === undefined ? undefined : findFull(decision.usedUp);
    if (full === undefined) return deniedError(call, decision.reason);
    const { retryAfterSeconds } = counts.peek(`${owner}${full.key}`, undefined, rateOf(full));
    return usedUpError(full, retryAfterSeconds);
  }

  function isLeft(limit: HourlyLimit, owner: string): boolean {
    return counts.peek(`${owner}${limit.key}`, undefined, rateOf(limit)).allowed;
  }

  function count(part: MandatePart, entry: number, owner: string): void {
    for (const limit of part.limits[entry] ?? [])
      counts.check(`${owner}${limit.key}`, undefined, rateOf(limit));
  }

  return (user, connection, call, note) => {
    const { mandate: held } = user;
    if (held === undefined) return undefined;
    if (held.refusal !== undefined) throw new HttpError(held.refusal.code, { detail: held.refusal.detail });
    const { parts } = held;
    const owner = `${user.projectId} ${user.subject} `;

    function settle(mandated: MandatedCall): Settled {
      const chosen: Allowed[] = [];
      const reading = new CallReading(mandated);
      for (const part of parts) {
        const choice = choose(part, mandated, reading, owner);
        if (choice === 'needs_body') return choice;
        if (choice instanceof HttpError) throw choice;
        chosen.push(choice);
      }
      note(chosen.map(({ entry }) => entry));
      for (const [index, part] of parts.entries()) count(part, chosen[index]?.entry ?? 0, owner);
      return findApproval(parts, chosen);
    }

    const mandated = describeCall(connection, call);
    const settled = settle(mandated);
    if (settled !== 'needs_body') return settled;
    return call.holdBody(BODY_BYTES_MAX).then((body) => {
      const judged = settle({ ...mandated, body: body ?? 'too_long' });
      return judged === 'needs_body' ? undefined : judged;
    });
  };
}

/** Where several parts want an approval, every call does: one that opens an entry of one part says nothing of another's. */
function findApproval(parts: readonly MandatePart[], chosen: readonly Allowed[]): NeededApproval | undefined {
  const asking = chosen.flatMap(({ approval, entry }, index) => {
    const described = parts[index]?.entries[entry];
    return approval === 'none' || described === undefined ? [] : [{ mode: approval, entry, described }];
  });
  const [first] = asking;
  if (first === undefined) return undefined;
  const { mode, entry, described } = first;
  return { mode: asking.length > 1 ? 'each' : mode, entry, entryKey: JSON.stringify(described) };
}

function describeCall(
  connection: ResolvedConnection,
  { request, target, fields }: CheckedCall,
): MandatedCall {
  return {
    provider: target.provider,
    connectionId: connection.connectionId,
    host: target.host,
    method: request.method ?? 'GET',
    rawPath: target.rawPath,
    rawQuery: target.rawQuery,
    rawHeaders: request.rawHeaders,
    hasBody: fields.contentLength !== undefined || fields.transferEncoding !== undefined,
    facts: connection.accessFactsAt?.(target.host),
  };
}

function rateOf({ perHour }: HourlyLimit) {
  return { limit: perHour, windowSeconds: HOUR_SECONDS };
}

function deniedError({ method, provider, rawPath }: MandatedCall, reason: string): HttpError {
  const path = rawPath.length > PATH_SHOWN_MAX ? `${rawPath.slice(0, PATH_SHOWN_MAX)}…` : rawPath || '/';
  return new HttpError('mandate_denied', { detail: `${method} ${path} at ${provider}: ${reason}.` });
}

function usedUpError({ perHour }: HourlyLimit, seconds: number): HttpError {
  return new HttpError('rate_limited', {
    detail: `The mandate allows ${perHour} such calls an hour.`,
    headers: { 'Retry-After': String(seconds) },
  });
}
