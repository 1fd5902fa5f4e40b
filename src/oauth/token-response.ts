import type { IncomingHttpHeaders } from 'node:http';
import type { Provider } from '../catalog/provider.schema.ts';
import { firstAt, isRecord, textOf, valueAt } from './json-path.ts';

/** Ten years: what is larger stands for "never", or for a time that was meant as milliseconds. */
const LIFETIME_SECONDS_MAX = 315_360_000;
/** Longer ones would not fit into the header of an API call. */
const TOKEN_LENGTH_MAX = 12_000;
const BODY_BYTES_MAX = 64 * 1024;

export type IssuedTokens = {
  readonly accessToken: string;
  /** Null: the answer has none, so an earlier one stays in force (RFC 6749 section 6). */
  readonly refreshToken: string | null;
  /** Null: not told, so the token is used until the provider refuses it. */
  readonly expiresInSeconds: number | null;
  /** Null: not told, so they are those that were asked for (RFC 6749 section 5.1). */
  readonly scopes: readonly string[] | null;
  readonly tokenType: string | null;
  /** The whole answer, secrets included: for reading the account, never for storing or logging. */
  readonly raw: Readonly<Record<string, unknown>>;
};

/**
 * `invalid_grant`: the code or refresh token is dead. `client`: the integration's credentials are refused.
 * `transient`: trying again may help. `rejected`: the request itself is refused, or the answer is of no use.
 */
export type TokenFailureKind = 'invalid_grant' | 'client' | 'transient' | 'rejected';

export type TokenJudgement =
  | { readonly ok: true; readonly tokens: IssuedTokens }
  | { readonly ok: false; readonly kind: TokenFailureKind; readonly errorCode: string };

/** Registered error codes (RFC 6749 4.1.2.1 and 5.2, RFC 6750 3.1) that say more than "rejected". */
const MEANINGS: Readonly<Record<string, TokenFailureKind>> = {
  invalid_grant: 'invalid_grant',
  invalid_client: 'client',
  unauthorized_client: 'client',
  server_error: 'transient',
  temporarily_unavailable: 'transient',
  slow_down: 'transient',
};

/**
 * Judges an answer of a token endpoint (RFC 6749 sections 5.1 and 5.2), including what providers do beside it: errors
 * under 200, form bodies, tokens in deeper places, numbers as text. Pure; never throws. `errorCode` is a short code,
 * never a text of the provider's choosing.
 */
export function judgeTokenResponse(
  provider: Pick<
    Provider,
    'tokenResponse' | 'scopeSeparator' | 'accessTokenLifetimeSeconds' | 'accessTokenHeader'
  >,
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
  nowMs: number = Date.now(),
): TokenJudgement {
  if (status >= 500 || [408, 425, 429].includes(status)) return failure('transient', `http_${status}`);
  // A redirect is never followed with credentials in hand; it mostly means that the service is down for maintenance.
  if (status < 200 || (status >= 300 && status < 400)) return failure('transient', `http_${status}`);
  if (body.length > BODY_BYTES_MAX) return failure('transient', 'response_too_large');
  const answer = parseBody(String(headers['content-type'] ?? ''), body.toString('utf8'));
  if (answer === undefined)
    return failure('transient', status < 300 ? 'unreadable_response' : `http_${status}`);
  const errorCode = errorIn(provider, answer);
  if (errorCode !== undefined) return failure(meaningOf(provider, errorCode), errorCode);
  if (status >= 400) return failure(status === 401 ? 'client' : 'rejected', `http_${status}`);
  return issued(provider, answer, nowMs);
}

function failure(kind: TokenFailureKind, errorCode: string): TokenJudgement {
  return { ok: false, kind, errorCode };
}

/** RFC 6749 says JSON; a few providers answer with a form. An HTML page is neither. */
function parseBody(contentType: string, text: string): Record<string, unknown> | undefined {
  if (/html/i.test(contentType)) return undefined;
  if (/x-www-form-urlencoded/i.test(contentType)) return Object.fromEntries(new URLSearchParams(text));
  const json = parseJson(text);
  if (json !== undefined || /json/i.test(contentType)) return json;
  const isForm = /^[\w.-]+=[^\s<>]*$/.test(text);
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : undefined;
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The provider's error code; undefined where the answer reports no error. */
function errorIn(
  provider: Pick<Provider, 'tokenResponse'>,
  answer: Record<string, unknown>,
): string | undefined {
  const { okMember, errorCode } = provider.tokenResponse;
  // By its text: what is a number in JSON is a text in a form.
  const isOk = okMember && textOf(valueAt(answer, okMember.path)) === String(okMember.value);
  const hasFailed = isOk === false;
  // One member may tell both, `{"code": 200}` for success and `{"code": 40001}` for a fault.
  const code = isOk && okMember?.path === errorCode ? undefined : codeFrom(valueAt(answer, errorCode));
  if (code !== undefined) return code;
  return hasFailed ? 'unspecified_error' : undefined;
}

function codeFrom(reported: unknown): string | undefined {
  if (typeof reported === 'string') {
    if (reported === '') return undefined;
    // A code is short and plain; a sentence could carry anything, a token included.
    return /^[\w.:-]+( [\w.:-]+){0,3}$/.test(reported) && reported.length <= 60
      ? reported
      : 'unspecified_error';
  }
  if (typeof reported === 'number') return reported === 0 ? undefined : String(reported);
  if (reported === true) return 'unspecified_error';
  if (isRecord(reported)) return codeFrom(reported.code) ?? codeFrom(reported.type) ?? 'unspecified_error';
  return undefined;
}

function meaningOf(provider: Pick<Provider, 'tokenResponse'>, errorCode: string): TokenFailureKind {
  const own = provider.tokenResponse.errorMeanings;
  if (Object.hasOwn(own, errorCode)) return own[errorCode] ?? 'rejected';
  return Object.hasOwn(MEANINGS, errorCode) ? (MEANINGS[errorCode] ?? 'rejected') : 'rejected';
}

function issued(
  provider: Pick<
    Provider,
    'tokenResponse' | 'scopeSeparator' | 'accessTokenLifetimeSeconds' | 'accessTokenHeader'
  >,
  answer: Record<string, unknown>,
  nowMs: number,
): TokenJudgement {
  const { tokenResponse } = provider;
  const accessToken = firstAt(answer, tokenResponse.accessToken);
  if (accessToken === undefined || accessToken === null) return failure('rejected', 'missing_access_token');
  if (!isToken(accessToken)) return failure('rejected', 'invalid_access_token');
  const tokenType = answer.token_type;
  if (typeof tokenType === 'string' && !isBearer(provider, tokenType)) {
    return failure('rejected', 'unsupported_token_type');
  }
  const refreshToken = firstAt(answer, tokenResponse.refreshToken);
  return {
    ok: true,
    tokens: {
      accessToken,
      refreshToken: isToken(refreshToken) ? refreshToken : null,
      expiresInSeconds:
        lifetimeFrom(firstAt(answer, tokenResponse.expiresIn)) ??
        lifetimeUntil(tokenResponse.expiresAt && valueAt(answer, tokenResponse.expiresAt), nowMs) ??
        provider.accessTokenLifetimeSeconds,
      scopes: scopesFrom(firstAt(answer, tokenResponse.scope), provider),
      tokenType: typeof tokenType === 'string' ? tokenType : null,
      raw: answer,
    },
  };
}

/** Visible ASCII (RFC 6749 A.12 without its blank, which no header template would survive). */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.length <= TOKEN_LENGTH_MAX && /^[\x21-\x7e]+$/.test(value);
}

function isBearer(
  provider: Pick<Provider, 'tokenResponse' | 'accessTokenHeader'>,
  tokenType: string,
): boolean {
  const scheme = provider.accessTokenHeader.template.split(' ')[0] ?? '';
  return [...provider.tokenResponse.tokenTypes, 'bearer', scheme].some(
    (accepted) => accepted.toLowerCase() === tokenType.toLowerCase(),
  );
}

/** Seconds, from a number or its text; null for what says nothing (absent, zero, negative, no number). */
function lifetimeFrom(value: unknown): number | null {
  const isNumeral = typeof value === 'string' && /^\s*\d{1,15}(\.\d+)?\s*$/.test(value);
  const seconds = typeof value === 'number' ? value : isNumeral ? Number(value) : Number.NaN;
  if (!Number.isFinite(seconds) || seconds < 1) return null;
  return Math.min(Math.floor(seconds), LIFETIME_SECONDS_MAX);
}

/** Seconds since 1970 stay below this until the year 5138; milliseconds have been above it since 1973. */
const EPOCH_SECONDS_MAX = 100_000_000_000;

/** Seconds until a moment that is told as seconds or milliseconds since 1970, or as a date. */
function lifetimeUntil(value: unknown, nowMs: number): number | null {
  const isNumeral = typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value));
  const moment = isNumeral ? Number(value) : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  const momentMs = isNumeral && moment < EPOCH_SECONDS_MAX ? moment * 1000 : moment;
  // A moment that has passed is a token that is over at once, not one that lasts for ever.
  return Number.isNaN(momentMs) || momentMs <= 0
    ? null
    : lifetimeFrom(Math.max(1, (momentMs - nowMs) / 1000));
}

function scopesFrom(
  value: unknown,
  provider: Pick<Provider, 'tokenResponse' | 'scopeSeparator'>,
): readonly string[] | null {
  if (Array.isArray(value)) return value.filter((scope) => typeof scope === 'string' && scope !== '');
  if (typeof value !== 'string') return null;
  const separator = provider.tokenResponse.scopeSeparator ?? provider.scopeSeparator;
  return value
    .split(separator)
    .flatMap((part) => part.split(/\s+/))
    .filter((scope) => scope !== '');
}
