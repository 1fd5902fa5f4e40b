import type { ServerResponse } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import { isTransientStoreError } from '../platform/postgres/store-errors.ts';
import { StoreTimeError } from '../platform/postgres/store-time.ts';
import { VaultError } from '../platform/vault.ts';
import { cutOff } from './cut-off.ts';
import { ERRORS, type ErrorCode, publicCode } from './error-codes.ts';
import { getRequestContext } from './request-context.ts';
import type { TokenRefusal } from './token-refusal.ts';

export type { ErrorCode } from './error-codes.ts';

/**
 * One fault in the caller's input; `path` starts with `params`, `query`, `body` or `headers`, of a file with what the file
 * is. The place in a text counts from 1.
 */
export type InputFault = {
  readonly path: string;
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
};

/** Further members of problem bodies. Those of the API are in the OpenAPI document; `hosts` and those of approvals are of the proxy, `failing` of `/readyz`. */
export type ProblemMembers = {
  readonly connectionId?: string;
  readonly connectionIds?: readonly string[];
  /** How many there are, where `connectionIds` has the first of them. */
  readonly connectionCount?: number;
  readonly integrationIds?: readonly string[];
  readonly grants?: readonly string[];
  readonly hosts?: readonly string[];
  readonly failing?: readonly string[];
  readonly approvalId?: string;
  /** The page on which a person decides. */
  readonly approvalUrl?: string;
};

type HttpErrorOptions = {
  /** What went wrong this time; the table's general meaning when left out. Never a secret, SQL or a query string. */
  readonly detail?: string;
  /** The first twenty are kept, with a last one that says that there are more. */
  readonly errors?: Iterable<InputFault>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the problem body, such as the ids to choose from. They cannot replace the standard ones. */
  readonly extra?: ProblemMembers;
  readonly cause?: unknown;
  /** Why a user token was refused: for the record of the call alone, never in an answer. */
  readonly refusal?: TokenRefusal;
};

/** A refusal that the caller may read. Anything else that is thrown becomes `internal_error`. */
export class HttpError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
  readonly errors: readonly InputFault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: ProblemMembers;
  readonly refusal: TokenRefusal | undefined;

  constructor(code: ErrorCode, options: HttpErrorOptions = {}) {
    const detail = options.detail ?? ERRORS[code].meaning;
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HttpError';
    this.code = code;
    this.status = ERRORS[code].status;
    this.detail = detail;
    this.errors = options.errors && firstFaults(options.errors);
    this.headers = options.headers ?? {};
    this.extra = options.extra ?? {};
    this.refusal = options.refusal;
  }
}

/** A request of many faults must not become an answer of many pages. */
const FAULTS_MAX = 20;

function firstFaults(faults: Iterable<InputFault>): readonly InputFault[] {
  const first: InputFault[] = [];
  for (const fault of faults) {
    if (first.length === FAULTS_MAX) {
      const part = first[0]?.path.split('.', 1)[0] ?? '';
      return [...first, { path: part, message: 'and more faults, which are not listed' }];
    }
    first.push(fault);
  }
  return first;
}

export type ProblemContext = { readonly requestId: string; readonly publicUrl: string };

/** Problem details of RFC 9457 with the gateway's extension members. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  remedy: string;
  retryable: boolean;
  code: string;
  requestId: string;
  errors?: readonly InputFault[];
  [extension: string]: unknown;
};

/** The problem body of an error. Pure; `type` points at the anchor of the code on the errors page. */
export function problem(error: HttpError, context: ProblemContext): Problem {
  const entry = ERRORS[error.code];
  return {
    ...error.extra,
    type: `${context.publicUrl}/docs/errors#${publicCode(error.code)}`,
    title: entry.title,
    status: entry.status,
    detail: error.detail,
    remedy: entry.remedy,
    retryable: entry.retryable,
    code: publicCode(error.code),
    requestId: context.requestId,
    ...(error.errors && { errors: error.errors }),
  };
}

/** Header fields of a problem reply, the error's own included. */
export function problemHeaders(error: HttpError, context: ProblemContext): Record<string, string> {
  return {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    'Gateway-Error': publicCode(error.code),
    'Gateway-Request-Id': context.requestId,
    'X-Content-Type-Options': 'nosniff',
    ...(error.status === 401 && { 'WWW-Authenticate': challenge(error.code) }),
    ...(error.status === 503 && { 'Retry-After': '1' }),
    ...error.headers,
  };
}

/**
 * Answers with the problem. Works on any ServerResponse; header fields set before (CORS) stay.
 * When the head of a reply is already out, the connection is cut, so that the caller sees a broken reply, not a false one.
 */
export function sendProblem(response: ServerResponse, error: HttpError, context: ProblemContext): void {
  if (response.headersSent) {
    cutOff(response);
    return;
  }
  const body = JSON.stringify(problem(error, context));
  response.statusCode = error.status;
  for (const [name, value] of Object.entries(problemHeaders(error, context))) response.setHeader(name, value);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

const refusedEarly = new WeakSet<ServerResponse>();

/** The same for a request that turns out to be malformed while a handler works on it, which hears nothing of it. */
export function sendProblemEarly(response: ServerResponse, error: HttpError, context: ProblemContext): void {
  refusedEarly.add(response);
  sendProblem(response, error, context);
}

/** RFC 6750 section 3.1: no error attribute when no credentials came; expiry is the only reason that is reported. */
function challenge(code: ErrorCode): string {
  if (code === 'token_invalid' || code === 'token_revoked')
    return 'Bearer realm="gateway", error="invalid_token"';
  if (code === 'token_expired')
    return 'Bearer realm="gateway", error="invalid_token", error_description="The token expired"';
  return 'Bearer realm="gateway"';
}

/** What Express and its body parsers throw, by their `type` (see body-parser's README, "Errors"). */
const PARSER_ERRORS: Readonly<Record<string, ErrorCode>> = {
  'entity.parse.failed': 'invalid_json',
  'entity.too.large': 'body_too_large',
  'encoding.unsupported': 'unsupported_media_type',
  'charset.unsupported': 'unsupported_media_type',
};

const STATUS_ERRORS: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

/** The gateway gave up by its own clock: the store may be busy, or the request ask for much. */
const STORE_TOO_SLOW = 'The database of the gateway did not answer within the time that a request has.';

/** Turns whatever was thrown into an HttpError; what is not understood is `internal_error` with the original as cause. */
export function toHttpError(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown;
  if (thrown instanceof VaultError) return new HttpError('vault_error', { cause: thrown });
  if (thrown instanceof StoreTimeError) {
    return new HttpError('store_unavailable', { cause: thrown, detail: STORE_TOO_SLOW });
  }
  if (isTransientStoreError(thrown)) return new HttpError('store_unavailable', { cause: thrown });
  // What Express throws for a path parameter that it cannot decode.
  if (thrown instanceof URIError && 'status' in thrown)
    return new HttpError('invalid_request', {
      detail: 'The path has a percent escape that stands for no character.',
    });
  if (thrown instanceof Error) {
    const type = 'type' in thrown && typeof thrown.type === 'string' ? PARSER_ERRORS[thrown.type] : undefined;
    const status =
      'status' in thrown && typeof thrown.status === 'number' ? STATUS_ERRORS[thrown.status] : undefined;
    const code = type ?? status;
    if (code) return new HttpError(code, { cause: thrown });
  }
  return new HttpError('internal_error', { cause: thrown });
}

export type ErrorLog = { error(fields: object, message: string): void };

/** Logs what needs a person: failures of the gateway itself, with the cause but never shown to the caller. */
export function logFailure(log: ErrorLog, error: HttpError, requestId: string): void {
  if (error.status !== 500) return;
  log.error({ requestId, code: error.code, err: error.cause ?? error }, 'request failed');
}

/** The last middleware of the app: every thrown error becomes a problem reply. */
export function createErrorHandler(deps: { publicUrl: string; log: ErrorLog }): ErrorRequestHandler {
  return (thrown: unknown, _request, response, _next) => {
    // The handler's reply came second: the caller has its answer.
    if (refusedEarly.has(response)) return;
    const error = toHttpError(thrown);
    const { requestId } = getRequestContext(response);
    logFailure(deps.log, error, requestId);
    sendProblem(response, error, { requestId, publicUrl: deps.publicUrl });
  };
}
