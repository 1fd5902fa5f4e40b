import { randomBytes } from 'node:crypto';
import {
  certificateOwner,
  clientCertificateFor,
  isCertificateOptional,
} from '../catalog/facts/client-certificate.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import { redirectUriFor } from '../oauth/authorization-request.ts';
import { createTokenEndpoint, type TokenEndpoint } from '../oauth/token-endpoint.ts';
import type { TokenOutcome } from '../oauth/token-outcome.ts';
import type { Outbound } from '../platform/outbound.ts';
import { describeFailure, type ProbeTarget } from './authorization-probe.ts';
import type { TokenResponse } from './client-probe.schema.ts';
import { type Exchange, watchOutbound } from './watched-outbound.ts';

export type TokenProbeDependencies = {
  readonly outbound: Outbound;
  now(): number;
  readonly timeoutMs: number;
};

/**
 * Asks a token endpoint about a client, with a code that it never issued. Answers what it said, or a code for why it was
 * not asked.
 */
export async function askTokenEndpoint(
  { outbound, now, timeoutMs }: TokenProbeDependencies,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<TokenResponse | string> {
  const lacking = lackingCertificate(target);
  if (lacking !== undefined) return lacking;
  let last: Exchange | undefined;
  const watched = watchOutbound(outbound, now, (exchange) => {
    last = exchange;
  });
  const outcome = await requestToken(createTokenEndpoint({ outbound: watched, timeoutMs }), target, signal);
  // Nothing was sent: a secret is missing, or a variable of the address.
  if (last === undefined) return outcome.ok ? 'nothing_sent' : outcome.errorCode;
  return describeTokenResponse(outcome, last);
}

function requestToken(
  endpoint: TokenEndpoint,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<TokenOutcome> {
  const { provider, client, variables } = target;
  const redirectUri = redirectUriFor(provider, target.redirectUrl, variables) ?? target.redirectUrl;
  const request = { provider, client, variables, redirectUrl: redirectUri, signal };
  if (provider.auth === 'oauth2-client-credentials')
    return endpoint.clientCredentials({ ...request, scopes: target.scopes });
  return endpoint.exchangeCode({
    ...request,
    code: `not-a-code-${randomBytes(12).toString('hex')}`,
    redirectUri,
    codeVerifier: provider.pkce ? randomBytes(32).toString('base64url') : null,
  });
}

/** What a token endpoint's outcome proves of the client. Pure. */
export function describeTokenResponse(outcome: TokenOutcome, exchange: Exchange): TokenResponse {
  const { origin, status, durationMs, skewMs } = exchange;
  const failure = exchange.failure === null ? null : describeFailure(exchange.failure);
  const about = { origin, status, durationMs, skewMs, failure };
  if (outcome.ok) return { ...about, verdict: 'accepted', code: null, words: null };
  const { errorCode: code, words = null } = outcome;
  return { ...about, verdict: verdictOf(outcome, about), code, words };
}

function verdictOf(
  { kind, errorCode, words = '' }: Exclude<TokenOutcome, { ok: true }>,
  { status, failure }: Pick<TokenResponse, 'status' | 'failure'>,
): TokenResponse['verdict'] {
  if (failure !== null) return failure === 'too_large' ? 'unprovable' : 'unreachable';
  if (status !== null && status >= 500) return 'unreachable';
  // A log-in wall, or an address of another kind.
  if (errorCode === 'unreadable_response') return 'page';
  if (/redirect[_ ]?ur[il]/i.test(`${errorCode} ${words}`)) return 'redirect_refused';
  if (kind === 'invalid_grant' || BLAMES_CODE.test(errorCode)) return 'accepted';
  if (BLAMES_CLIENT.test(errorCode) || UNKNOWN_APPLICATION.test(words)) return 'refused';
  if (kind === 'client') return errorCode === 'unauthorized_client' ? 'app_refused' : 'refused';
  return status === 404 || UNKNOWN_TENANT.test(words) ? 'not_found' : 'unprovable';
}

/** Why nothing was asked: the operator has given no client certificate, or it is each user's own. */
export const CERTIFICATE_MISSING = 'client_certificate_missing';
const CERTIFICATE_OF_USERS = 'client_certificate_of_users';

function lackingCertificate({ provider, client, variables }: ProbeTarget): string | undefined {
  if (provider.clientCertificate?.at.includes('token') !== true) return undefined;
  const values = templateValues({ integrationSecrets: client.secretVariables, connection: variables });
  if (clientCertificateFor(provider, 'token', values) !== undefined) return undefined;
  if (certificateOwner(provider) === 'user') return CERTIFICATE_OF_USERS;
  return isCertificateOptional(provider) ? undefined : CERTIFICATE_MISSING;
}

/** Codes of the providers' own for `invalid_grant` and `invalid_client`: BAD_AUTH_CODE, invalid_code, bad_client_secret. */
const BLAMES_CODE = /^(?:bad|invalid|unknown|expired)[_ -]?(?:auth(?:orization)?|verification)?[_ -]?code$/i;
const BLAMES_CLIENT =
  /^(?:bad|invalid|wrong|incorrect|unknown)[_ -]?client(?:[_ -]?(?:id|secret|credentials))?$/i;
/** Microsoft's numbers for an app and a tenant that there are not. */
const UNKNOWN_APPLICATION = /\bAADSTS700016\b/;
const UNKNOWN_TENANT = /\bAADSTS(?:90002|900023)\b/;
