import type { Provider } from '../catalog/schema/provider.schema.ts';
import { isRecord } from '../lib/is-record.ts';
import { readPath, toFilledText } from '../lib/json-path.ts';
import { removeSecrets } from '../lib/remove-secrets.ts';
import { sentenceIn } from './provider-words.ts';

/**
 * `invalid_grant`: the code or refresh token is dead. `client`: the integration's credentials are refused.
 * `transient`: trying again may help. `rejected`: the request itself is refused, or the answer is of no use.
 * `lost`: the provider answered, but the tokens in its answer cannot be read.
 */
export type TokenFailureKind = 'invalid_grant' | 'client' | 'transient' | 'rejected' | 'lost';

/** What was asked for: the codes of a refused refresh token are not those of a refused authorization code. */
export type TokenUse = 'issue' | 'refresh';

/** The request that was answered. `secrets`: what it carried and no word of the provider may repeat. */
export type Asked = { readonly use: TokenUse; readonly secrets: readonly (string | null | undefined)[] };

type ReportedError = { readonly kind: TokenFailureKind; readonly errorCode: string };

type ErrorSource = {
  readonly tokenResponse: Pick<Provider['tokenResponse'], 'errorCode' | 'errorMeanings' | 'okMember'>;
};

/** Registered error codes (RFC 6749 4.1.2.1 and 5.2, RFC 6750 3.1) that say more than "rejected". */
const MEANINGS: Readonly<Record<string, TokenFailureKind>> = {
  invalid_grant: 'invalid_grant',
  invalid_client: 'client',
  unauthorized_client: 'client',
  server_error: 'transient',
  temporarily_unavailable: 'transient',
  slow_down: 'transient',
};

/** Codes by which providers say, beside RFC 6749, that a refresh token is dead. */
const DEAD_REFRESH_TOKEN: ReadonlySet<string> = new Set([
  'access_denied',
  'authorization_revoked',
  'bad_refresh_token',
  'bad_token',
  'consent_required',
  'expired_refresh_token',
  'expired_token',
  'grant_expired',
  'grant_not_found',
  'grant_revoked',
  'interaction_required',
  'invalid_refresh',
  'invalid_refresh_token',
  'invalid_token',
  'login_required',
  'refresh_token_expired',
  'refresh_token_invalid',
  'refresh_token_not_found',
  'refresh_token_reused',
  'refresh_token_revoked',
  'revoked_token',
  'token_expired',
  'token_invalid',
  'token_not_found',
  'token_revoked',
]);

/** Where providers put the code of a refusal, beside where their entry says. */
const CODE_PLACES = [
  'error',
  'error.code',
  'error.type',
  'error.status',
  'error.error',
  'error.name',
  'error_code',
  'errorCode',
  'error_type',
  'code',
  'status',
  'type',
  'name',
  'reason',
  'errors.0',
  'errors.0.code',
  'errors.0.type',
  'errors.0.errorType',
  'errors.0.error',
  'errors.0.reason',
  'errors.0.name',
  'error.errors.0.reason',
  'fault.detail.errorcode',
] as const;

/** Words in the place of a code that only repeat that the request failed. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  'error',
  'err',
  'fail',
  'failed',
  'failure',
  'false',
  'bad_request',
  'badrequest',
  'unauthorized',
  'forbidden',
]);

/**
 * The error that a readable answer of a token endpoint reports, and what it means; undefined where it reports none.
 * Under a 2xx status only the entry's own place counts, since members such as `status` or `code` report success too.
 * `errorCode` is a short code, never a text of the provider's choosing, and none of the secrets. Pure.
 */
export function findReportedError(
  provider: ErrorSource,
  answer: Record<string, unknown>,
  { status, use, secrets }: Asked & { readonly status: number },
): ReportedError | undefined {
  const found = findCode(provider, answer, { status, use });
  const isSecret = found !== undefined && removeSecrets(found.errorCode, secrets) !== found.errorCode;
  return isSecret ? { ...found, errorCode: 'unspecified_error' } : found;
}

function findCode(
  provider: ErrorSource,
  answer: Record<string, unknown>,
  { status, use }: { readonly status: number; readonly use: TokenUse },
): ReportedError | undefined {
  const own = ownErrorCode(provider, answer);
  const isRefused = status >= 400;
  if (own === undefined && !isRefused) return undefined;
  const candidates = isRefused ? [own, ...codesIn(answer, status)] : [own];
  const codes = candidates.filter((code) => code !== undefined);
  for (const code of codes) {
    const kind = meaningOf(provider, code, use);
    if (kind !== 'rejected') return { kind, errorCode: code };
  }
  if (use === 'refresh' && isRefused && mentionsDeadRefreshToken(answer)) {
    return { kind: 'invalid_grant', errorCode: codes[0] ?? 'invalid_grant' };
  }
  const [first] = codes;
  return first === undefined ? undefined : { kind: 'rejected', errorCode: first };
}

/** The code at the entry's own place; `unspecified_error` where the answer reports a failure without one. */
function ownErrorCode({ tokenResponse }: ErrorSource, answer: Record<string, unknown>): string | undefined {
  const { okMember, errorCode } = tokenResponse;
  // By its text: what is a number in JSON is a text in a form.
  const isOk = okMember && toFilledText(readPath(answer, okMember.path)) === String(okMember.value);
  for (const place of [errorCode].flat()) {
    // One member may report both, `{"code": 200}` for success and `{"code": 40001}` for a fault.
    const code = isOk && okMember?.path === place ? undefined : codeFrom(readPath(answer, place));
    if (code !== undefined) return code;
  }
  return isOk === false ? 'unspecified_error' : undefined;
}

function codesIn(answer: Record<string, unknown>, status: number): string[] {
  return CODE_PLACES.map((place) => readPath(answer, place))
    .filter((value) => !isRecord(value))
    .map(codeFrom)
    .filter((code) => code !== undefined && code !== 'unspecified_error' && code !== String(status))
    .filter((code) => code !== undefined && !SAYS_NOTHING.has(normalize(code)))
    .filter((code) => code !== undefined);
}

/** A code is short and plain; a sentence could carry anything, a token included. */
const CODE = /^[\w.:-]{1,60}( [\w.:-]{1,60}){0,3}$/;

function codeFrom(reported: unknown): string | undefined {
  if (typeof reported === 'string') {
    if (reported === '') return undefined;
    return reported.length <= 60 && CODE.test(reported) ? reported : 'unspecified_error';
  }
  if (typeof reported === 'number') return reported === 0 ? undefined : String(reported);
  if (reported === true) return 'unspecified_error';
  if (isRecord(reported)) return codeFrom(reported.code) ?? codeFrom(reported.type) ?? 'unspecified_error';
  return undefined;
}

/** The entry's own meanings first, as it spells them; then the registered and the usual ones, in any spelling. */
function meaningOf({ tokenResponse }: ErrorSource, errorCode: string, use: TokenUse): TokenFailureKind {
  const own = tokenResponse.errorMeanings;
  if (Object.hasOwn(own, errorCode)) return own[errorCode] ?? 'rejected';
  const code = normalize(errorCode);
  if (Object.hasOwn(MEANINGS, code)) return MEANINGS[code] ?? 'rejected';
  return use === 'refresh' && DEAD_REFRESH_TOKEN.has(code) ? 'invalid_grant' : 'rejected';
}

/** `InvalidGrant`, `INVALID_GRANT` and `invalid grant` as `invalid_grant`. */
function normalize(code: string): string {
  return code
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s.:-]/g, '_')
    .toLowerCase();
}

const MENTIONS_REFRESH_TOKEN = /\brefresh[ _-]?token\b/i;
const IS_DEAD = /\b(?:invalid|expired|revoked|unknown|inactive|deleted|not found|not valid|no longer)\b/i;

/** A sentence such as "Invalid refresh token" in the place of a code; one that blames the client as well says nothing. */
function mentionsDeadRefreshToken(answer: Record<string, unknown>): boolean {
  const words = sentenceIn(answer).slice(0, 1_000);
  return MENTIONS_REFRESH_TOKEN.test(words) && IS_DEAD.test(words) && !/\bclient\b/i.test(words);
}
