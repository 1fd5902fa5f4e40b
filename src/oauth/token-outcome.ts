import { certificateOwner } from '../catalog/facts/client-certificate.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { readRetryAfterMs } from '../lib/retry-after.ts';
import type { OutboundError, OutboundResponse } from '../platform/outbound.ts';
import { readAlert } from '../platform/outbound-failures.ts';
import { judgeRevocation, type RevocationRequest } from './revocation.ts';
import type { TokenFailureKind } from './token-error.ts';
import {
  type IssuedTokens,
  type JudgeOptions,
  judgeTokenResponse,
  type TokenRefusal,
} from './token-response.ts';

/** A provider that asks for more is asked again after this time all the same: it may have recovered long before. */
const RETRY_AFTER_MS_MAX = 5 * 60_000;

export type TokenFailure = TokenRefusal & {
  /** Of the provider's answer; left out where there was none. */
  readonly status?: number;
  /** How long the provider asks to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number;
  /**
   * `not_sent`: not a byte of the request reached the provider. `unanswered`: it may have acted on the request, and a
   * one-use token may be spent.
   */
  readonly delivery: 'answered' | 'not_sent' | 'unanswered';
  /** The late outcome of an unanswered request; undefined once no answer can come any more. */
  readonly late?: Promise<TokenOutcome | undefined>;
};

export type TokenOutcome = { readonly ok: true; readonly tokens: IssuedTokens } | TokenFailure;

export type RevocationOutcome = { readonly ok: true } | TokenFailure;

/** Maps the answer to a token request. */
export function judgeExchange(
  provider: Provider,
  response: OutboundResponse,
  options: JudgeOptions,
): TokenOutcome {
  const judgement = judgeTokenResponse(provider, response, options);
  return judgement.ok ? judgement : refusedBy(response, judgement);
}

/** Maps the answer to a revocation. */
export function judgeRevocationResponse(
  request: RevocationRequest,
  response: OutboundResponse,
): RevocationOutcome {
  const judgement = judgeRevocation(request, response);
  return judgement.ok ? judgement : refusedBy(response, judgement);
}

function refusedBy({ status, headers }: OutboundResponse, refusal: TokenRefusal): TokenFailure {
  const waitMs = readRetryAfterMs(headers['retry-after'], Date.now());
  return {
    ...refusal,
    status,
    // An answer without readable tokens says as little of what became of a one-use token as no answer.
    delivery: refusal.kind === 'lost' ? 'unanswered' : 'answered',
    ...(waitMs !== undefined && waitMs > 0 && { retryAfterMs: Math.min(waitMs, RETRY_AFTER_MS_MAX) }),
  };
}

/** Maps a request without an answer. `provider` says whose a certificate is that the server does not take. */
export function buildFailure(
  error: OutboundError,
  provider?: Pick<Provider, 'clientCertificate' | 'variables'>,
  late?: Promise<TokenOutcome | undefined>,
): TokenFailure {
  const { kind, mayHaveBeenProcessed } = error;
  if (kind === 'certificate_refused' || kind === 'certificate_unusable') {
    return certificateFailure(kind, error.code, provider);
  }
  // An address that is refused now will be refused next time: the fault is permanent, not transient.
  const isPermanent = kind === 'invalid_url' || kind === 'refused_address';
  const errorCode = kind === 'too_large' ? 'response_too_large' : `connection_${kind}`;
  return {
    ...refusal(isPermanent ? 'rejected' : 'transient', errorCode),
    delivery: mayHaveBeenProcessed ? 'unanswered' : 'not_sent',
    ...(late !== undefined && { late }),
  };
}

/**
 * A certificate that was refused in the handshake, or that none can be made with. A user's is the user's to replace; a
 * refusal ends no grant at once, since the fault may be the server's.
 */
function certificateFailure(
  kind: 'certificate_refused' | 'certificate_unusable',
  code: string | undefined,
  provider: Parameters<typeof buildFailure>[1],
): TokenFailure {
  const isUsers = provider !== undefined && certificateOwner(provider) === 'user';
  const isRefused = kind === 'certificate_refused';
  const ofUser = isRefused ? 'rejected' : 'invalid_grant';
  const words = isRefused && code !== undefined ? { words: `TLS alert: ${readAlert(code)}` } : {};
  return { ...refusal(isUsers ? ofUser : 'client', `client_${kind}`), ...words };
}

/** A failure that leaves no doubt whether the provider acted on the request: it did not. */
export function refusal(kind: TokenFailureKind, errorCode: string): TokenFailure {
  return { ok: false, kind, errorCode, delivery: 'not_sent' };
}
