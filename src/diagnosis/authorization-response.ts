import { removeSecrets } from '../lib/remove-secrets.ts';
import { scrub } from '../platform/log-fields.ts';
import type { OutboundResponse } from '../platform/outbound.ts';
import type { AuthorizationResponse } from './client-probe.schema.ts';

type Verdict = AuthorizationResponse['verdict'];
type Judged = { readonly verdict: Verdict; readonly code: string | null };

/** The words by which authorization servers name a fault, the most specific first. */
const SIGNS: readonly (readonly [Verdict, RegExp])[] = [
  ['tenant_unknown', /\bAADSTS(?:90002|900023|500011)\b/],
  ['redirect_refused', /\b(?:redirect_uri_mismatch|invalid_redirect_uri|bad_redirect_uri|AADSTS50011)\b/],
  [
    'client_unknown',
    /\b(?:invalid_client(?:_id)?|deleted_client|client_not_found|unknown_client|AADSTS700016)\b/,
  ],
  ['scopes_refused', /\b(?:invalid_scope|AADSTS70011|AADSTS650053)\b/],
  ['app_refused', /\b(?:unauthorized_client|application_suspended|org_internal|AADSTS70001)\b/],
];

/** Sentences in the place of a code, on a page that is refused. A parameter's name before its value says nothing. */
const SENTENCES: readonly (readonly [Verdict, RegExp])[] = [
  ['redirect_refused', /\bredirect(?:ion)?[ _-]?ur[il]s?\b(?!\s*(?:=|%3D|:\/\/))/i],
  [
    'client_unknown',
    /\b(?:unknown|invalid|unrecognized|no such) (?:client|application|app)\b|\bclient(?:[ _]id)? (?:is )?(?:invalid|unknown|not found)\b/i,
  ],
];

/**
 * What the answer to an authorization request without cookies says of the client. No user is signed in, so that most
 * providers show their log-in page whatever was asked: `unprovable`. Pure.
 */
export function judgeAuthorizationResponse(
  { status, headers, body }: Pick<OutboundResponse, 'status' | 'headers' | 'body'>,
  redirectUri: string,
): Judged {
  const { location } = headers;
  if (status >= 300 && status < 400 && location !== undefined) return judgeRedirect(location, redirectUri);
  if (status === 404) return { verdict: 'not_found', code: 'http_404' };
  if (status >= 500 || status === 429) return { verdict: 'unprovable', code: `http_${status}` };
  const page = visibleText(body.toString('utf8'));
  if (status < 400) return findSign(page.match(/\bAADSTS\d{4,9}\b/)?.[0] ?? '');
  const sign = findSign(page);
  if (sign.verdict !== 'unprovable') return sign;
  const sentence = SENTENCES.find(([, pattern]) => pattern.test(page));
  return { verdict: sentence?.[0] ?? 'unprovable', code: `http_${status}` };
}

const WORDS_LENGTH_MAX = 200;

/** The first words of a page that refuses, in one line without what was sent; null where it does not refuse. */
export function readPageWords(
  { status, body }: Pick<OutboundResponse, 'status' | 'body'>,
  sent: readonly (string | undefined)[],
): string | null {
  if (status < 400) return null;
  const text = scrub(removeSecrets(visibleText(body.toString('utf8')).slice(0, 4_000), sent));
  const line = text.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();
  return line === '' ? null : line.slice(0, WORDS_LENGTH_MAX);
}

function judgeRedirect(location: string, redirectUri: string): Judged {
  const target = URL.parse(location, redirectUri);
  if (target === null) return { verdict: 'unprovable', code: null };
  const parameters = [...target.searchParams, ...new URLSearchParams(target.hash.slice(1))];
  if (!location.startsWith(redirectUri)) {
    return findSign(parameters.map(([, value]) => `${value} ${decoded(value)}`).join(' '));
  }
  const error = parameters.find(([name]) => name === 'error')?.[1];
  if (error === undefined) return { verdict: 'accepted', code: null };
  const sign = findSign(parameters.map(([, value]) => value).join(' '));
  // A server that sends back an error such as login_required knows client and redirect URL.
  return sign.verdict === 'unprovable' ? { verdict: 'accepted', code: null } : sign;
}

function findSign(text: string): Judged {
  for (const [verdict, pattern] of SIGNS) {
    const code = pattern.exec(text)?.[0];
    if (code !== undefined) return { verdict, code };
  }
  return { verdict: 'unprovable', code: null };
}

/** Some servers put the error into an opaque parameter of their error page's address. */
function decoded(value: string): string {
  return /^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(value) ? Buffer.from(value, 'base64').toString('latin1') : '';
}

/** Without markup, scripts and styles; bounded, since a page may be large. */
function visibleText(page: string): string {
  const withoutScripts = removeElements(page.slice(0, 100_000), /<script\b/i, '</script');
  return removeElements(withoutScripts, /<style\b/i, '</style').replace(/<[^<>]*>/g, ' ');
}

/** By splitting: a pattern over the whole element would take quadratic time on elements that never end. */
function removeElements(page: string, begin: RegExp, end: string): string {
  const [first = '', ...rest] = page.split(begin);
  const behind = rest.map((part) => part.slice(Math.max(0, part.toLowerCase().indexOf(end))));
  return [first, ...behind].join(' ');
}
