/** How an authorization can end without a connection. */
export type ConnectErrorCode = 'popup_blocked' | 'popup_closed' | 'access_denied' | 'session_expired' | 'account_mismatch' | 'provider_error';
/** An authorization that ended without a connection. */
export declare class ConnectError extends Error {
    readonly name = "ConnectError";
    readonly code: ConnectErrorCode;
    /** What the gateway said, where it is more exact than the code: `missing_scopes`, for example. */
    readonly reason: string;
    constructor(reason: string);
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
export declare class GatewayError extends Error {
    readonly name = "GatewayError";
    /** Of the HTTP answer; 0 when there was none, with the code `network_error`. */
    readonly status: number;
    readonly code: string;
    /** What to do about it, for developers. */
    readonly remedy: string;
    readonly requestId: string | undefined;
    readonly retryable: boolean;
    constructor(problem: Problem, options?: ErrorOptions);
}
export {};
