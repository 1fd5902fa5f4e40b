import type { TokenFault } from '../http/token-refusal.ts';
import type { Actor } from '../mandates/user-mandate.ts';
import type { ProxiedCall, VerifiedUser } from '../proxy/contract.ts';
import { type CallOrigin, findCallCode, findCallOrigin } from './call-outcome.ts';

/** A finished call as it is kept and shown: no query, no body, no header value. */
export type CallRecord = {
  readonly requestId: string;
  readonly projectId: string;
  readonly at: Date;
  readonly method: string;
  readonly path: string;
  readonly provider: string;
  readonly integrationId: string | null;
  readonly connectionId: string | null;
  readonly endUserId: string | null;
  /** The application's own id of the user; null where the token was refused. */
  readonly subject: string | null;
  /** The application's own id of the organization that the token names. */
  readonly organization: string | null;
  readonly status: number;
  readonly origin: CallOrigin;
  readonly code: string | null;
  /** Why the user token was refused; null where it was not, or was not looked at. */
  readonly tokenFault: TokenFault | null;
  readonly attempts: number;
  readonly durationMs: number;
  readonly providerMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly traceId: string | null;
  /** Mandates of the token, with the entry that allows the call; null where it was refused. */
  readonly mandates: readonly { readonly id: string; readonly entry: number | null }[];
  /** Who acted for the user, the current actor first. */
  readonly actors: readonly Actor[];
};

/** In the place of a path. */
const REVOKED_PATH = '/…';
const PATH_LENGTH_MAX = 300;
const METHOD_LENGTH_MAX = 20;
/** Longer segments are no ids but tokens. */
const SEGMENT_LENGTH_MAX = 64;

/** The record of a call. */
export function buildCallRecord(
  call: ProxiedCall,
  { projectId, user, nowMs }: { projectId: string; user: VerifiedUser | undefined; nowMs: number },
): CallRecord {
  return {
    requestId: call.requestId,
    projectId,
    at: new Date(nowMs - call.durationMs),
    method: call.method.slice(0, METHOD_LENGTH_MAX),
    // The tokens of an erased user are revoked, and their calls must bring nothing of the user back.
    path: call.error === 'token_revoked' ? REVOKED_PATH : redactPath(call.path),
    // Until the connection is known, the name is the caller's text.
    provider: call.provider.slice(0, 100),
    integrationId: call.integrationId ?? null,
    connectionId: call.connectionId ?? null,
    endUserId: call.endUserId ?? null,
    subject: user?.subject ?? null,
    organization: user?.membership?.organization ?? null,
    status: call.status,
    origin: findCallOrigin(call),
    code: findCallCode(call),
    tokenFault: call.refusal?.fault ?? null,
    attempts: call.attempts,
    durationMs: call.durationMs,
    providerMs: call.providerMs,
    requestBytes: call.requestBytes,
    responseBytes: call.responseBytes,
    traceId: call.traceId ?? null,
    mandates: call.mandates.map(({ id, entry = null }) => ({ id, entry })),
    actors: call.actors,
  };
}

/** The path without what callers put secrets into: parameters of segments, and segments that are too long for an id. */
export function redactPath(path: string): string {
  const segments = path
    .slice(0, 2 * PATH_LENGTH_MAX)
    .split('/')
    .map(redactSegment);
  const redacted = segments.join('/');
  const isCut = path.length > 2 * PATH_LENGTH_MAX || redacted.length > PATH_LENGTH_MAX;
  return isCut ? `${redacted.slice(0, PATH_LENGTH_MAX)}…` : redacted;
}

function redactSegment(segment: string): string {
  const [name = '', ...parameters] = segment.split(/;|%3B/i);
  const shown = name.length > SEGMENT_LENGTH_MAX ? `${name.slice(0, 8)}…` : name;
  return parameters.length > 0 ? `${shown};…` : shown;
}
