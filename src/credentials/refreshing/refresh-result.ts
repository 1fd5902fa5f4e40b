import type { TokenFailureKind } from '../../oauth/token-error.ts';
import type { CredentialState } from './credential-state.store.ts';
import type { RefreshedTokens } from './refresh.store.ts';

/** What a caller waits for the store to take an outcome. */
export const STORE_WAIT_MS = 3_000;
/** What a caller waits for the outcome of a change that another process made. */
export const CHANGED_RETRY_MS = 1_000;
/** What a caller is asked to wait while an answer may still come. */
const UNKNOWN_RETRY_SECONDS = 5;

/** What the token endpoint made of a refresh request. */
export type RefreshOutcome =
  | { readonly ok: true; readonly tokens: RefreshedTokens }
  | {
      readonly ok: false;
      readonly kind: TokenFailureKind;
      readonly errorCode: string;
      /** What the provider says of it, without credentials. */
      readonly words?: string;
      /** Of the provider's answer; left out where there was none. */
      readonly status?: number;
      readonly retryAfterMs?: number;
      readonly delivery: 'answered' | 'not_sent' | 'unanswered';
      /** The late outcome of an unanswered request; undefined once no answer can come any more. */
      readonly late?: Promise<RefreshOutcome | undefined>;
    };

export type RefreshFailure = Extract<RefreshOutcome, { ok: false }>;

export type RefreshRefusal = {
  readonly ok: false;
  readonly code:
    | 'connection_not_found'
    | 'reauthorization_required'
    | 'refresh_unavailable'
    | 'integration_misconfigured'
    | 'project_frozen'
    | 'gateway_restored';
  readonly retryAfterSeconds?: number;
};

/**
 * Not retryable, also until the next attempt: an operator has to correct the client, so there is no time to wait for.
 */
export const MISCONFIGURED: RefreshRefusal = { ok: false, code: 'integration_misconfigured' };
export const NOT_FOUND: RefreshRefusal = { ok: false, code: 'connection_not_found' };
export const REFUSED: RefreshRefusal = { ok: false, code: 'reauthorization_required' };

export type RefreshResult = { readonly ok: true; readonly state: CredentialState } | RefreshRefusal;

/** No token now: `retryInMs` says when to ask again, a second at least. */
export function unavailable(retryInMs: number): RefreshRefusal {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryInMs / 1000));
  return { ok: false, code: 'refresh_unavailable', retryAfterSeconds };
}

/** No token while the answer to a request may still come; `retryInMs`: when the token may be sent again, if ever. */
export function unavailableWhileUnknown({ retryInMs }: { readonly retryInMs: number }): RefreshRefusal {
  return unavailable(Math.max(retryInMs, UNKNOWN_RETRY_SECONDS * 1000));
}
