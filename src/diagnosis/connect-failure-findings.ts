import { createFinding, type Evidence, type Finding } from './finding.ts';
import type { FindingCode } from './finding-texts.ts';

/** A sign-in that failed, as log, metrics and activity have it. */
export type FailedConnect = {
  /** The code that the application got. */
  readonly error: string;
  /** What the page explains. */
  readonly reason?: string | undefined;
  readonly providerCode?: string | undefined;
  readonly providerWords?: string | undefined;
  readonly requestId?: string | undefined;
  readonly at?: string | undefined;
  /** Required scopes that were not granted. */
  readonly missingScopes?: readonly string[] | undefined;
  /** The operator's variable with the key that was refused. */
  readonly refusedVariable?: string | undefined;
};

const BY_REASON: Readonly<Record<string, FindingCode>> = {
  redirect_uri_mismatch: 'redirect_url_refused',
  invalid_scope: 'scopes_refused',
  missing_scopes: 'scope_not_granted',
  unauthorized_client: 'app_unverified',
  admin_consent_required: 'app_needs_admin',
  blocked_by_policy: 'app_needs_admin',
  not_assigned: 'app_needs_admin',
  wrong_organisation: 'tenant_wrong',
  provider_refused_request: 'authorization_refused',
  integration_misconfigured: 'authorization_refused',
  access_denied: 'sign_ins_denied',
  cancelled: 'sign_ins_denied',
  sign_in_required: 'sign_ins_denied',
  provider_unreachable: 'provider_down',
  server_error: 'provider_down',
  temporarily_unavailable: 'provider_down',
  operator_needed: 'provider_setup_missing',
  credentials_refused: 'credentials_refused',
  credentials_unproved: 'credentials_refused',
  account_mismatch: 'sign_in_other_account',
  tenant_lost: 'sign_in_other_account',
  tenant_unknown: 'sign_in_other_account',
  session_expired: 'sign_in_interrupted',
  session_used: 'sign_in_interrupted',
  invalid_state: 'sign_in_interrupted',
  flow_binding_failed: 'sign_in_interrupted',
  invalid_callback: 'sign_in_interrupted',
  rate_limited: 'sign_in_interrupted',
};

const CLIENT_UNKNOWN = /\b(?:invalid_client(?:_id)?|AADSTS700016)\b/;
/** Microsoft's number for an app that there is not. */
const UNKNOWN_APPLICATION = /\bAADSTS700016\b/;
const EXPIRED_SECRET = /\bexpired\b|\bAADSTS7000222\b/i;
const WRONG_REDIRECT = /\bredirect[_ ]?ur[il]/i;
/** Microsoft's numbers for a tenant that there is not or that the user is not of, and how others say it. */
const WRONG_TENANT =
  /\bAADSTS(?:90002|900023|50020|50194)\b|\b(?:tenant|subdomain|realm|workspace|organi[sz]ation)\b[^.;]{0,60}\b(?:not found|unknown|(?:does not|doesn['’]t) exist|is invalid)|\b(?:unknown|invalid|no such|wrong) (?:tenant|subdomain|realm|workspace|organi[sz]ation)\b/i;
const UNREACHED: ReadonlyMap<string, FindingCode> = new Map([
  ['connection_tls', 'provider_tls_broken'],
  ['client_certificate_refused', 'client_certificate_refused'],
  ['client_certificate_unusable', 'client_certificate_unusable'],
  ['unreadable_response', 'token_endpoint_page'],
  ['connection_timeout', 'provider_timeout'],
  ['connection_refused_address', 'provider_address_refused'],
  ['connection_invalid_url', 'provider_address_refused'],
]);

/**
 * The finding that a failed sign-in is. A client that is refused when the code is exchanged has passed the provider's own
 * page, which knew its id: then it is the secret. Pure.
 */
export function chooseFindingCode({
  error,
  reason,
  providerCode = '',
  providerWords = '',
  refusedVariable,
}: Omit<FailedConnect, 'at'>): FindingCode {
  const text = `${providerCode} ${providerWords}`;
  const named = reason ?? error;
  const ofCertificate = /\bclient_certificate_(?:refused|unusable)\b/.exec(text)?.[0];
  if (ofCertificate !== undefined) return UNREACHED.get(ofCertificate) ?? 'client_certificate_refused';
  if (WRONG_TENANT.test(text)) return 'tenant_wrong';
  if (named === 'client_refused') {
    if (refusedVariable !== undefined) return 'client_key_refused';
    if (WRONG_REDIRECT.test(text)) return 'redirect_url_refused';
    if (UNKNOWN_APPLICATION.test(text)) return 'client_id_unknown';
    return EXPIRED_SECRET.test(text) ? 'client_secret_expired' : 'client_secret_refused';
  }
  if (named === 'unauthorized_client' && CLIENT_UNKNOWN.test(providerCode)) return 'client_id_unknown';
  const unreached = UNREACHED.get(providerCode);
  if (unreached !== undefined) return unreached;
  return Object.hasOwn(BY_REASON, named) ? (BY_REASON[named] ?? 'sign_ins_failing') : 'sign_ins_failing';
}

/** What the texts of these findings name. */
export type FailureContext = {
  readonly provider: string;
  readonly redirectUrl: string;
  readonly scopes: readonly string[];
  readonly tokenOrigin?: string | undefined;
  /** The provider's addresses hold a tenant, a subdomain or the like. */
  readonly hasTenant?: boolean;
};

/** The finding with its evidence. `count`: how often it happened. Pure. */
export function findingOfFailure(failed: FailedConnect, context: FailureContext, count = 1): Finding {
  const { provider, redirectUrl, scopes, tokenOrigin, hasTenant } = context;
  const text = [failed.providerCode, failed.providerWords].filter((part) => part).join(': ');
  const about = {
    ...(failed.requestId !== undefined && { requestId: failed.requestId }),
    ...(failed.at !== undefined && { at: failed.at }),
  };
  const evidence: Evidence[] = [
    { label: 'Failed sign-in', value: text || (failed.reason ?? failed.error), ...about },
  ];
  const parameters = {
    provider,
    redirectUrl,
    scopes: (failed.missingScopes ?? scopes).join(', '),
    variable: failed.refusedVariable ?? '',
    origin: tokenOrigin ?? 'the token endpoint',
    count: String(count),
  };
  // Nothing at the token endpoint, in an address that the operator completes.
  const isAddressWrong = hasTenant === true && failed.providerCode === 'http_404';
  const code = isAddressWrong ? 'tenant_wrong' : chooseFindingCode(failed);
  return createFinding(code, parameters, { evidence });
}
