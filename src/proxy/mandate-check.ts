import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http/errors.ts';
import { BODY_BYTES_MAX, type MandatedCall } from '../mandates/call.ts';
import { CallReading, type MandateDecision } from '../mandates/mandate.ts';
import {
  describePart,
  type HourlyLimit,
  type MandatePart,
  type MandateRefusal,
} from '../mandates/user-mandate.ts';
import type { SharedLimit } from '../platform/limits/shared-limits.ts';
import type { MaybePromise, NeededApproval, ResolvedConnection, VerifiedUser } from './contract.ts';
import type { RequestFields } from './request-fields.ts';
import type { ProxyTarget } from './target.ts';

const HOUR_SECONDS = 60 * 60;
/** A call that asked so often for calls of its entry without being left one comes again. */
const ROUNDS_MAX = 3;
const PATH_SHOWN_MAX = 200;

export type CheckedCall = {
  readonly request: IncomingMessage;
  readonly target: ProxyTarget;
  readonly fields: RequestFields;
  /** Undefined: the body is longer. */
  holdBody(bytesMax: number): Promise<Uint8Array | undefined>;
};

export type MandateCheck = (
  user: Pick<VerifiedUser, 'projectId' | 'subject' | 'mandate'>,
  connection: ResolvedConnection,
  call: CheckedCall,
  /** Hears for each part of the mandate which entry allows the call. */
  note: (entries: readonly number[]) => void,
) => MaybePromise<NeededApproval | undefined>;

type Owner = Pick<VerifiedUser, 'projectId' | 'subject'>;
type Allowed = Extract<MandateDecision, { isAllowed: true }>;
type Choice = Allowed | 'needs_body' | HttpError;
type Settled = NeededApproval | 'needs_body' | undefined;
type ShownCall = Pick<MandatedCall, 'method' | 'provider' | 'host' | 'rawPath'>;
/** What is not known in this process yet: a call waits for it. */
type Unknown = { readonly key: string; readonly limit: HourlyLimit };

/**
 * Holds calls to the mandates of their tokens. Every door's call passes here, after its connection is known and before
 * any byte goes to the provider. Gives the approval that the call needs first. Throws or rejects with the refusal of the mandate, `mandate_denied`, and `rate_limited`
 * where an entry's calls of this hour are used up, counted over all processes for the user and the entry.
 */
export function createMandateCheck(counts: SharedLimit): MandateCheck {
  return (user, connection, call, note) => {
    const { mandate: held } = user;
    if (held === undefined) return undefined;
    if (held.refusal !== undefined) throw refusalError(held.refusal, call);
    const settling = new Settling(counts, user, held.parts, note);
    const mandated = describeCall(connection, call);
    const settled = settling.settle(mandated);
    if (settled !== 'needs_body' && !(settled instanceof Promise)) return settled;
    return settleByBody(settling, mandated, call, settled);
  };
}

async function settleByBody(
  settling: Settling,
  mandated: MandatedCall,
  call: CheckedCall,
  first: MaybePromise<Settled>,
): Promise<NeededApproval | undefined> {
  const settled = first instanceof Promise ? await first : first;
  if (settled !== 'needs_body') return settled;
  const body = await call.holdBody(BODY_BYTES_MAX);
  const judged = await settling.settle({ ...mandated, body: body ?? 'too_long' });
  // No rule asks twice; one that did must not let the call pass.
  if (judged === 'needs_body') throw new Error('A mandate asks for the body that it was given');
  return judged;
}

/** What each part of a mandate says of one call. A class, since closures for each call cost every call more. */
class Settling {
  readonly #counts: SharedLimit;
  readonly #user: Owner;
  readonly #parts: readonly MandatePart[];
  readonly #note: (entries: readonly number[]) => void;

  constructor(
    counts: SharedLimit,
    user: Owner,
    parts: readonly MandatePart[],
    note: (entries: readonly number[]) => void,
  ) {
    this.#counts = counts;
    this.#user = user;
    this.#parts = parts;
    this.#note = note;
  }

  settle(mandated: MandatedCall): MaybePromise<Settled> {
    const settled = this.#trySettle(mandated);
    return Array.isArray(settled) ? this.#askAndSettle(mandated, settled) : settled;
  }

  #trySettle(mandated: MandatedCall): Settled | Unknown[] {
    const chosen: Allowed[] = [];
    const entries: number[] = [];
    const hours = new Hours(this.#counts, this.#user);
    const reading = new CallReading(mandated);
    for (const part of this.#parts) {
      const choice = choose(part, mandated, reading, hours);
      if (hours.unknown.length > 0) return hours.unknown;
      if (choice === 'needs_body') return choice;
      if (choice instanceof HttpError) throw choice;
      chosen.push(choice);
      entries.push(choice.entry);
    }
    this.#note(entries);
    this.#parts.forEach((part, index) => {
      hours.count(part, entries[index] ?? 0);
    });
    return findApproval(this.#parts, chosen);
  }

  async #askAndSettle(mandated: MandatedCall, first: readonly Unknown[]): Promise<Settled> {
    let unknown = first;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await Promise.all(unknown.map(({ key, limit }) => this.#counts.ask(key, rateOf(limit))));
      const settled = this.#trySettle(mandated);
      if (!Array.isArray(settled)) return settled;
      unknown = settled;
    }
    throw usedUpError(unknown[0]?.limit, 1);
  }
}

/** The hourly limits of one user's entries, as far as this process knows them. */
class Hours {
  readonly unknown: Unknown[] = [];
  readonly #counts: SharedLimit;
  readonly #owner: Owner;

  constructor(counts: SharedLimit, owner: Owner) {
    this.#counts = counts;
    this.#owner = owner;
  }

  #keyOf({ key }: HourlyLimit): string {
    return `${this.#owner.projectId} ${this.#owner.subject} ${key}`;
  }

  findFull({ limits }: MandatePart, entry: number): HourlyLimit | undefined {
    return limits[entry]?.find((limit) => !this.#isLeft(limit));
  }

  #isLeft(limit: HourlyLimit): boolean {
    const key = this.#keyOf(limit);
    const state = this.#counts.peek(key, rateOf(limit));
    if (state === undefined) this.unknown.push({ key, limit });
    return state?.allowed ?? true;
  }

  count(part: MandatePart, entry: number): void {
    for (const limit of part.limits[entry] ?? []) this.#counts.check(this.#keyOf(limit), rateOf(limit));
  }

  retryAfterSeconds(limit: HourlyLimit): number {
    return this.#counts.peek(this.#keyOf(limit), rateOf(limit))?.retryAfterSeconds ?? 1;
  }
}

/** The entry that allows the call and has calls left. */
function choose(part: MandatePart, call: MandatedCall, reading: CallReading, hours: Hours): Choice {
  const isLeft = part.limits.length === 0 ? undefined : isLeftIn(part, hours);
  const decision = part.mandate.decide(call, isLeft, reading);
  if (decision.isAllowed) return decision;
  if (decision.needsBody === true) return 'needs_body';
  const full = decision.usedUp === undefined ? undefined : hours.findFull(part, decision.usedUp);
  if (full === undefined) return deniedError(call, decision.reason, part);
  return usedUpError(full, hours.retryAfterSeconds(full));
}

function isLeftIn(part: MandatePart, hours: Hours): (entry: number) => boolean {
  return (entry) => hours.findFull(part, entry) === undefined;
}

/** Where several parts want an approval, every call does: one that opens an entry of one part says nothing of another's. */
function findApproval(parts: readonly MandatePart[], chosen: readonly Allowed[]): NeededApproval | undefined {
  if (chosen.every(({ approval }) => approval === 'none')) return undefined;
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

/** With the call, as where an entry is missing; what is frozen, malformed or required has nothing to do with it. */
export function refusalError(
  { code, detail }: MandateRefusal,
  { request, target }: Pick<CheckedCall, 'request' | 'target'>,
): HttpError {
  const isOfCall = code === 'mandate_denied';
  const call = { ...target, method: request.method ?? 'GET' };
  return new HttpError(code, { detail: isOfCall ? `${showCall(call)}: ${detail}` : detail });
}

function deniedError(call: MandatedCall, reason: string, part: MandatePart): HttpError {
  const detail = `${showCall(call)}: ${reason} (${describePart(part)}).`;
  return new HttpError('mandate_denied', { detail });
}

function showCall({ method, provider, host, rawPath }: ShownCall): string {
  const path = rawPath.length > PATH_SHOWN_MAX ? `${rawPath.slice(0, PATH_SHOWN_MAX)}…` : rawPath || '/';
  return `${method} ${path} at ${host === undefined ? provider : `${provider}~${host}`}`;
}

function usedUpError(limit: HourlyLimit | undefined, seconds: number): HttpError {
  return new HttpError('rate_limited', {
    detail: `The mandate allows ${limit?.perHour} such calls an hour.`,
    headers: { 'Retry-After': String(seconds) },
  });
}
