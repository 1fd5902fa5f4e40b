import type { IncomingHttpHeaders } from 'node:http';
import type { Provider } from '../catalog/provider.schema.ts';
import type { OutboundError, OutboundResponse } from '../platform/outbound.ts';
import { judgeRevocation } from './revocation.ts';
import { judgeTokenResponse, type TokenFailureKind, type TokenJudgement } from './token-response.ts';

/** Longer waits than a day are no advice for a token request. */
const RETRY_AFTER_MS_MAX = 24 * 60 * 60 * 1000;

export type TokenFailure = {
  readonly ok: false;
  readonly kind: TokenFailureKind;
  /** Short and plain, safe to log and to show. */
  readonly errorCode: string;
  /** How long the provider asks to wait (`Retry-After`). */
  readonly retryAfterMs?: number;
  /** True where no answer came, but the provider may have acted: a one-use token may be spent. */
  readonly mayHaveBeenProcessed: boolean;
};

export type TokenOutcome = Extract<TokenJudgement, { ok: true }> | TokenFailure;

export type RevocationOutcome = { readonly ok: true } | TokenFailure | RevocationUnsupported;
export type RevocationUnsupported = {
  readonly ok: false;
  readonly kind: 'unsupported';
  readonly errorCode: string;
};

/** What the answer to a token request comes to. */
export function judged(provider: Provider, response: OutboundResponse): TokenOutcome {
  const judgement = judgeTokenResponse(provider, response.status, response.headers, response.body);
  if (judgement.ok) return judgement;
  return { ...refusal(judgement.kind, judgement.errorCode), ...retryAfter(response.headers) };
}

/** What the answer to a revocation comes to. */
export function judgedRevocation(provider: Provider, response: OutboundResponse): RevocationOutcome {
  const judgement = judgeRevocation(provider, response);
  if (judgement.ok) return judgement;
  return { ...refusal(judgement.kind, judgement.errorCode), ...retryAfter(response.headers) };
}

/** What a request without an answer comes to. */
export function unreached(error: OutboundError): TokenFailure {
  const { kind, mayHaveBeenProcessed } = error;
  // An address that is refused now will be refused next time: that is configuration, not weather.
  const isFinal = kind === 'invalid_url' || kind === 'refused_address';
  const errorCode = kind === 'too_large' ? 'response_too_large' : `connection_${kind}`;
  return { ...refusal(isFinal ? 'rejected' : 'transient', errorCode), mayHaveBeenProcessed };
}

/** A failure that leaves no doubt whether the provider acted on the request. */
export function refusal(kind: TokenFailureKind, errorCode: string): TokenFailure {
  return { ok: false, kind, errorCode, mayHaveBeenProcessed: false };
}

/** What is said of a provider that takes no token back. */
export const UNSUPPORTED: RevocationUnsupported = {
  ok: false,
  kind: 'unsupported',
  errorCode: 'revocation_unsupported',
};

/** Seconds or an HTTP date (RFC 9110 section 10.2.3). */
function retryAfter(headers: IncomingHttpHeaders): { retryAfterMs?: number } {
  const value = headers['retry-after'];
  if (value === undefined) return {};
  const waitMs = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return waitMs > 0 ? { retryAfterMs: Math.min(waitMs, RETRY_AFTER_MS_MAX) } : {};
}
