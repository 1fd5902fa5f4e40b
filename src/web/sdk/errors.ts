/** How an authorization can end without a connection. */
export type ConnectErrorCode =
  | 'popup_blocked'
  | 'popup_closed'
  | 'access_denied'
  | 'session_expired'
  | 'account_mismatch'
  | 'provider_error';

const MESSAGES: Record<ConnectErrorCode, string> = {
  popup_blocked: 'The browser blocked the window. Call connect() from a click, or name a returnUrl.',
  popup_closed: 'The window was closed before the account was connected.',
  access_denied: 'Access was not granted at the provider.',
  session_expired: 'The authorization took too long.',
  account_mismatch: 'Another account was chosen than the one of this connection.',
  provider_error: 'The provider could not complete the authorization.',
};

/** An authorization that ended without a connection. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code: ConnectErrorCode;
  /** What the gateway said, where it is more exact than the code: `missing_scopes`, for example. */
  readonly reason: string;

  constructor(reason: string) {
    const code = isConnectCode(reason) ? reason : 'provider_error';
    super(MESSAGES[code]);
    this.code = code;
    this.reason = reason;
  }
}

function isConnectCode(reason: string): reason is ConnectErrorCode {
  return Object.hasOwn(MESSAGES, reason);
}

/** The members of a problem document (RFC 9457) that the gateway answers with. */
type Problem = {
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  readonly remedy?: string;
  readonly requestId?: string;
  readonly retryable?: boolean;
};

/** A refusal of the gateway itself, never of a provider. Its codes are listed at `/docs/errors` of the gateway. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** Of the HTTP answer; 0 when there was none, with the code `network_error`. */
  readonly status: number;
  readonly code: string;
  /** What to do about it, for developers. */
  readonly remedy: string;
  readonly requestId: string | undefined;
  readonly retryable: boolean;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail ?? problem.code, options);
    this.status = problem.status;
    this.code = problem.code;
    this.remedy = problem.remedy ?? '';
    this.requestId = problem.requestId;
    this.retryable = problem.retryable ?? false;
  }
}
