import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { ServerFault } from '../credentials/mcp-servers/refusals.ts';
import type { Integration } from '../integrations/integration.ts';
import { signingVariable } from '../oauth/login-response.ts';
import { readProviderWords } from '../oauth/provider-words.ts';
import type { TokenFailure } from '../oauth/token-outcome.ts';
import type { ConnectSession } from './connect-session.ts';
import type { FailureReason } from './texts/language.ts';

/** Why there is no grant: the code that the application gets, and for the page more closely the reason. */
export type Refusal = {
  readonly ok: false;
  /** Stable, handed to the application. */
  readonly error: string;
  /** Left out where the code says it all. */
  readonly reason?: FailureReason;
  /** The provider's own code, safe to show. */
  readonly providerCode?: string;
  /** What the provider says of it, without credentials: for operators, not for the page. */
  readonly providerWords?: string;
  /** What operators have written for end users. */
  readonly operatorsWords?: string;
  /** Required scopes that the provider did not grant. */
  readonly missingScopes?: readonly string[];
  /** The operator's variable with the key that the provider refuses, by title and name. */
  readonly refusedVariable?: string;
};

export const SESSION_EXPIRED: Refusal = { ok: false, error: 'session_expired' };

/** The user has chosen not to go on. The application hears the same as of a user who declines at the provider. */
export const CANCELLED: Refusal = { ok: false, error: 'access_denied', reason: 'cancelled' };

/** Codes of which nothing has come, and after which the same session may be begun again. */
export const RETRYABLE_ERRORS: readonly string[] = [
  'access_denied',
  'account_mismatch',
  'credentials_refused',
  'credentials_unproved',
  'missing_scopes',
  'provider_error',
  'provider_unreachable',
  'tenant_missing',
  'tenant_unknown',
  'tenants_refused',
];

/** For whom the integration's key acts was not said when the session was made, and is not asked of its user. */
export const LACKS_VARIABLES: Refusal = { ok: false, error: 'application_variables_missing' };

/** Why a session may not use its integration, asked at each step: either may have changed since the one before. */
export function findBarrier(
  { integrationIds }: Pick<ConnectSession, 'integrationIds'>,
  { id, disabled }: Pick<Integration, 'id' | 'disabled'>,
): Refusal | undefined {
  if (integrationIds !== null && !integrationIds.includes(id)) {
    return { ok: false, error: 'integration_not_allowed' };
  }
  if (disabled !== null) {
    return { ok: false, error: 'integration_disabled', operatorsWords: disabled.reason };
  }
  return undefined;
}

type Meaning = readonly [error: string, reason: FailureReason];

const DENIED: Meaning = ['access_denied', 'access_denied'];
const BLOCKED: Meaning = ['access_denied', 'blocked_by_policy'];
const NOT_SIGNED_IN: Meaning = ['access_denied', 'sign_in_required'];
const UNKNOWN_CLIENT: Meaning = ['integration_misconfigured', 'unauthorized_client'];
const WRONG_REDIRECT: Meaning = ['integration_misconfigured', 'redirect_uri_mismatch'];
const INVALID_SCOPE: Meaning = ['integration_misconfigured', 'invalid_scope'];
const WRONG_REQUEST: Meaning = ['integration_misconfigured', 'provider_refused_request'];

/** Codes of RFC 6749 4.1.2.1 and OpenID Connect Core 3.1.2.6, and those that large providers add to them. */
const AUTHORIZATION_ERRORS: Readonly<Record<string, Meaning>> = {
  access_denied: DENIED,
  user_denied: DENIED,
  user_refused: DENIED,
  user_cancelled_login: DENIED,
  user_cancelled_authorize: DENIED,
  consent_required: ['access_denied', 'admin_consent_required'],
  admin_policy_enforced: BLOCKED,
  OAUTH_APP_BLOCKED: BLOCKED,
  login_required: NOT_SIGNED_IN,
  interaction_required: NOT_SIGNED_IN,
  account_selection_required: NOT_SIGNED_IN,
  invalid_scope: INVALID_SCOPE,
  unauthorized_client: UNKNOWN_CLIENT,
  invalid_client: UNKNOWN_CLIENT,
  invalid_client_id: UNKNOWN_CLIENT,
  application_suspended: UNKNOWN_CLIENT,
  redirect_uri_mismatch: WRONG_REDIRECT,
  invalid_redirect_uri: WRONG_REDIRECT,
  bad_redirect_uri: WRONG_REDIRECT,
  invalid_request: WRONG_REQUEST,
  unsupported_response_type: WRONG_REQUEST,
  invalid_request_object: WRONG_REQUEST,
  invalid_target: WRONG_REQUEST,
  server_error: ['provider_error', 'server_error'],
  temporarily_unavailable: ['provider_error', 'temporarily_unavailable'],
};

/**
 * Microsoft's numbers, which stand in `error_description` and say more than the code beside them
 * (learn.microsoft.com/entra/identity-platform/reference-error-codes).
 */
const ENTRA_ERRORS: Readonly<Record<string, FailureReason>> = {
  65001: 'admin_consent_required',
  65004: 'access_denied',
  90093: 'admin_consent_required',
  90094: 'admin_consent_required',
  50105: 'not_assigned',
  50020: 'wrong_organisation',
  90072: 'wrong_organisation',
  53000: 'blocked_by_policy',
  53001: 'blocked_by_policy',
  53002: 'blocked_by_policy',
  53003: 'blocked_by_policy',
  50011: 'redirect_uri_mismatch',
  700016: 'unauthorized_client',
  70001: 'unauthorized_client',
  70011: 'invalid_scope',
  650053: 'invalid_scope',
};

const SHOWN_CODE = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Maps an error response to the authorization request. Only codes are taken from the response: an attacker could have
 * written its sentences and links.
 */
export function refusalOfAuthorization(parameters: Readonly<Record<string, string>>): Refusal {
  const code = parameters.error ?? '';
  const description = parameters.error_description ?? '';
  const number = /\bAADSTS(\d{4,9})\b/.exec(description)?.[1];
  const [error, meant] = meaningOf(code, description);
  const reason = (number !== undefined && ownValue(ENTRA_ERRORS, number)) || meant;
  const shown = [code, number && `AADSTS${number}`].filter((part) => part && SHOWN_CODE.test(part));
  const words = readProviderWords({ error_description: description }, [parameters.state, parameters.code]);
  return {
    ok: false,
    error,
    reason,
    ...(shown.length > 0 && { providerCode: shown.join(' ') }),
    ...(words !== undefined && { providerWords: words }),
  };
}

function meaningOf(code: string, description: string): Meaning {
  if (code === 'invalid_request' && /redirect[_ ]?ur[il]/i.test(description)) return WRONG_REDIRECT;
  return ownValue(AUTHORIZATION_ERRORS, code) ?? ['provider_error', 'provider_error'];
}

/** Codes of RFC 6749 5.2 that refuse what is set at the integration, and nothing that a user gave. */
const WRONG_SETTINGS: Readonly<Record<string, Meaning>> = {
  invalid_scope: INVALID_SCOPE,
  unsupported_grant_type: WRONG_REQUEST,
};

/** Maps a failed token request to what the end user reads. */
export function refusalOfTokenRequest({
  kind,
  errorCode,
  words,
}: Pick<TokenFailure, 'kind' | 'errorCode' | 'words'>): Refusal {
  const details = {
    ...(SHOWN_CODE.test(errorCode) && { providerCode: errorCode }),
    ...(words !== undefined && { providerWords: words }),
  };
  if (kind === 'client') {
    return { ok: false, error: 'integration_misconfigured', reason: 'client_refused', ...details };
  }
  const setting = kind === 'rejected' ? ownValue(WRONG_SETTINGS, errorCode) : undefined;
  if (setting !== undefined) return { ok: false, error: setting[0], reason: setting[1], ...details };
  const reason = kind === 'transient' ? 'provider_unreachable' : 'provider_error';
  return { ok: false, error: 'provider_error', reason, ...details };
}

/** A refusal that is no fault of the credentials: `advice` is for operators, who read it beside the provider's words. */
export function refusalOfOperators(
  failure: Pick<TokenFailure, 'kind' | 'errorCode' | 'words'>,
  advice: string,
): Refusal {
  const { providerCode, providerWords } = refusalOfTokenRequest(failure);
  return {
    ok: false,
    error: 'integration_misconfigured',
    reason: 'operator_needed',
    ...(providerCode !== undefined && { providerCode }),
    providerWords: [providerWords, advice].filter((part) => part !== undefined).join(' – '),
  };
}

/** Faults that go by themselves, or with another try. */
const PASSING_FAULTS: ReadonlySet<ServerFault> = new Set(['unreachable']);

/** Maps an MCP server without a usable authorization server to what the end user reads; operators see the code. */
export function refusalOfServer(fault: ServerFault): Refusal {
  if (PASSING_FAULTS.has(fault))
    return { ok: false, error: 'provider_error', reason: 'provider_unreachable' };
  return {
    ok: false,
    error: 'integration_misconfigured',
    reason: 'provider_refused_request',
    providerCode: fault,
  };
}

/** Maps a failed log-in: what the provider does not take, the person who typed it can correct. */
export function refusalOfLogin(
  failure: Pick<TokenFailure, 'kind' | 'errorCode' | 'words'>,
  provider: Pick<Provider, 'jwt' | 'variables'>,
): Refusal {
  const refusal = refusalOfTokenRequest(failure);
  const refusedVariable = failure.kind === 'client' ? signingVariable(provider) : undefined;
  if (refusedVariable !== undefined) return { ...refusal, refusedVariable };
  const isOperators = refusal.error === 'integration_misconfigured';
  if (isOperators || (failure.kind !== 'invalid_grant' && failure.kind !== 'rejected')) return refusal;
  const { reason: _reason, ...details } = refusal;
  return { ...details, error: 'credentials_refused' };
}

function ownValue<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
