import type { IncomingHttpHeaders } from 'node:http';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { parseExactJson } from '../lib/exact-json.ts';
import { isRecord } from '../lib/is-record.ts';
import { readFirstPath, readPath } from '../lib/json-path.ts';
import { toStorableText } from '../lib/storable-text.ts';
import { readProviderWords } from './provider-words.ts';
import { isPage, type ReceivedResponse } from './response-body.ts';
import { type Asked, findReportedError, type TokenFailureKind, type TokenUse } from './token-error.ts';

/** Ten years: a larger value means "never", or a time in milliseconds. */
const LIFETIME_SECONDS_MAX = 315_360_000;
/** Longer ones would not fit into the header of an API call. */
const TOKEN_LENGTH_MAX = 12_000;

export type IssuedTokens = {
  readonly accessToken: string;
  /** Null: the answer has none, so an earlier one stays in force (RFC 6749 section 6). */
  readonly refreshToken: string | null;
  /** Null: unknown, so the token is used until the provider refuses it. */
  readonly expiresInSeconds: number | null;
  /** Null: unknown, so they are those that were asked for (RFC 6749 section 5.1). */
  readonly scopes: readonly string[] | null;
  readonly tokenType: string | null;
  /** The whole answer, secrets included: for reading the account, never for storing or logging. */
  readonly raw: Readonly<Record<string, unknown>>;
};

export type TokenJudgement = { readonly ok: true; readonly tokens: IssuedTokens } | TokenRefusal;

export type TokenRefusal = {
  readonly ok: false;
  readonly kind: TokenFailureKind;
  /** Short and plain, safe to log and to show. */
  readonly errorCode: string;
  /** What the provider says of it, cleaned of credentials; left out where it says nothing. */
  readonly words?: string;
};

export type JudgeOptions = Asked & {
  readonly nowMs?: number;
  /** The token that lives on where the answer says so. */
  readonly heldToken?: string;
};

type ResponseProvider = Pick<
  Provider,
  'tokenResponse' | 'scopeSeparator' | 'accessTokenLifetimeSeconds' | 'accessTokenHeader'
>;

/**
 * Judges an answer of a token endpoint (RFC 6749 sections 5.1 and 5.2), including what providers do beside it: errors
 * under 200, form bodies, wrong content types, tokens in deeper places, numbers as text. Pure; never throws. `errorCode`
 * is a short code, never a text of the provider's choosing.
 */
export function judgeTokenResponse(
  provider: ResponseProvider,
  { status, ...came }: ReceivedResponse & { readonly status: number },
  { use, secrets, heldToken, nowMs = Date.now() }: JudgeOptions,
): TokenJudgement {
  if (status >= 500 || [408, 425, 429].includes(status)) return failure('transient', `http_${status}`);
  // A redirect is never followed with credentials in hand; it mostly means that the service is down for maintenance.
  if (status < 200 || (status >= 300 && status < 400)) return failure('transient', `http_${status}`);
  const answer = readTokenResponse(came);
  if (answer === undefined || came.isCut) return unreadable(status, use, came);
  if (heldToken !== undefined && status < 300 && isProlonged(provider, answer))
    return readIssuedTokens(provider, { ...answer, access_token: heldToken }, nowMs);
  const words = readProviderWords(answer, secrets);
  const error = findReportedError(provider, answer, { status, use, secrets });
  if (error !== undefined) return failure(error.kind, error.errorCode, words);
  if (status >= 400) return failure(classifyRefusalWithoutCode(status, use), `http_${status}`, words);
  return readIssuedTokens(provider, answer, nowMs);
}

function isProlonged({ tokenResponse }: ResponseProvider, answer: Record<string, unknown>): boolean {
  const { prolonged, accessToken } = tokenResponse;
  if (prolonged === undefined || readFirstPath(answer, accessToken) !== undefined) return false;
  return String(readPath(answer, prolonged.path)) === String(prolonged.value);
}

function failure(kind: TokenFailureKind, errorCode: string, words?: string): TokenRefusal {
  return { ok: false, kind, errorCode, ...(words !== undefined && { words }) };
}

/** A refusal without a code: under 401 the client is at fault (RFC 6749 5.2), unless it is a refresh token's as well. */
function classifyRefusalWithoutCode(status: number, use: TokenUse): TokenFailureKind {
  return status === 401 && use === 'issue' ? 'client' : 'rejected';
}

/**
 * A page or a sentence in the place of an answer is a service that is down, however large it is; any other success has
 * spent the token.
 */
function unreadable(status: number, use: TokenUse, answer: ReceivedResponse): TokenRefusal {
  if (status >= 400) return failure(classifyRefusalWithoutCode(status, use), `http_${status}`);
  if (isPage(answer)) return failure('transient', 'unreadable_response');
  return failure('lost', answer.isCut ? 'response_cut' : 'unreadable_response');
}

const BYTE_ORDER_MARK = /^\ufeff/;
const FORM = /^[\w.-]+=[^\s<>]*$/;

/**
 * The members of an answer; undefined where it has none. RFC 6749 says JSON and a few providers answer with a form;
 * either may be labelled as anything.
 */
export function readTokenResponse({
  headers,
  body,
}: {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}): Record<string, unknown> | undefined {
  const text = body.toString('utf8').replace(BYTE_ORDER_MARK, '');
  const json = parseExactJson(text);
  if (isRecord(json)) return json;
  const contentType = headers['content-type'] ?? '';
  const isForm = FORM.test(text) || (/x-www-form-urlencoded/i.test(contentType) && !text.startsWith('<'));
  return isForm && text !== '' ? Object.fromEntries(new URLSearchParams(text)) : undefined;
}

/** The tokens of an answer that reports no failure, at the places that the provider's entry names. Pure. */
export function readIssuedTokens(
  provider: ResponseProvider,
  answer: Record<string, unknown>,
  nowMs: number,
): TokenJudgement {
  const { tokenResponse } = provider;
  const accessToken = readFirstPath(answer, tokenResponse.accessToken);
  if (accessToken === undefined || accessToken === null) return failure('rejected', 'missing_access_token');
  if (!isToken(accessToken)) return failure('rejected', 'invalid_access_token');
  const tokenType = typeof answer.token_type === 'string' ? answer.token_type.trim() : '';
  if (tokenType !== '' && !isBearer(provider, tokenType)) {
    return failure('rejected', 'unsupported_token_type');
  }
  const refreshToken = readFirstPath(answer, tokenResponse.refreshToken);
  return {
    ok: true,
    tokens: {
      accessToken,
      refreshToken: isToken(refreshToken) ? refreshToken : null,
      expiresInSeconds:
        lifetimeFrom(readFirstPath(answer, tokenResponse.expiresIn)) ??
        lifetimeUntil(tokenResponse.expiresAt && readPath(answer, tokenResponse.expiresAt), nowMs) ??
        lifetimeFrom(provider.accessTokenLifetimeSeconds),
      scopes: scopesFrom(readFirstPath(answer, tokenResponse.scope), provider),
      tokenType: tokenType === '' ? null : tokenType,
      raw: answer,
    },
  };
}

/** Visible ASCII (RFC 6749 A.12 without its blank, which no header template would survive). */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.length <= TOKEN_LENGTH_MAX && /^[\x21-\x7e]+$/.test(value);
}

function isBearer(provider: ResponseProvider, tokenType: string): boolean {
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

/** Seconds until a time that is given as seconds or milliseconds since 1970, or as a date. */
function lifetimeUntil(value: unknown, nowMs: number): number | null {
  const isNumeral = typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value));
  const time = isNumeral ? Number(value) : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  const timeMs = isNumeral && time < EPOCH_SECONDS_MAX ? time * 1000 : time;
  // A time in the past means a token that has expired, not one that lasts for ever.
  return Number.isNaN(timeMs) || timeMs <= 0 ? null : lifetimeFrom(Math.max(1, (timeMs - nowMs) / 1000));
}

function scopesFrom(value: unknown, provider: ResponseProvider): readonly string[] | null {
  if (Array.isArray(value)) {
    const scopes = value.filter((scope) => typeof scope === 'string').map(toStorableText);
    return scopes.filter((scope) => scope !== '');
  }
  if (typeof value !== 'string') return null;
  const separator = provider.tokenResponse.scopeSeparator ?? provider.scopeSeparator;
  return toStorableText(value)
    .split(separator)
    .flatMap((part) => part.split(/\s+/))
    .filter((scope) => scope !== '');
}
