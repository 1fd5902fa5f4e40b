import type { Provider } from '../catalog/provider.schema.ts';
import type { OutboundResponse } from '../platform/outbound.ts';
import type { RevocableToken } from './token-message.ts';
import { judgeTokenResponse, type TokenJudgement } from './token-response.ts';

/** Which of a connection's tokens ends the grant at this provider; undefined where the connection has none. */
export function tokenToRevoke(
  { revocation }: Pick<Provider, 'revocation'>,
  tokens: { readonly accessToken: string | null; readonly refreshToken: string | null },
): RevocableToken | undefined {
  const { accessToken, refreshToken } = tokens;
  if (revocation.token === 'refresh_token' && refreshToken !== null) {
    return { token: refreshToken, accessToken };
  }
  return accessToken === null ? undefined : { token: accessToken, accessToken };
}

/** Codes by which providers say that there is nothing left to revoke. */
const ALREADY_REVOKED = new Set([
  'invalid_token',
  'token_revoked',
  'token_expired',
  'invalid_grant',
  'invalid_auth',
]);

/** What is wrong with a token response is right for a revocation: its body means nothing (RFC 7009 section 2.2). */
const NOISE = new Set([
  'missing_access_token',
  'invalid_access_token',
  'unsupported_token_type',
  'unreadable_response',
]);

/** Judges an answer of a revocation endpoint. A token that is unknown or dead counts as revoked. Pure. */
export function judgeRevocation(
  provider: Provider,
  response: OutboundResponse,
): { readonly ok: true } | Extract<TokenJudgement, { ok: false }> {
  const { status, headers, body } = response;
  // What was to be deleted is not there (RFC 9110 sections 9.3.5 and 15.5.5).
  if (provider.revocation.method === 'DELETE' && (status === 404 || status === 410)) return { ok: true };
  const judgement = judgeTokenResponse(provider, status, headers, body);
  const isSuccess = status >= 200 && status < 300;
  if (judgement.ok || (isSuccess && NOISE.has(judgement.errorCode))) return { ok: true };
  return ALREADY_REVOKED.has(judgement.errorCode) ? { ok: true } : judgement;
}
