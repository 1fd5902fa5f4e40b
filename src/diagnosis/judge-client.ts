import { usesClient } from '../catalog/facts/client-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { AuthorizationResponse, ClientProbe, TokenResponse } from './client-probe.schema.ts';
import { createFinding, type Evidence, type Finding } from './finding.ts';
import { CERTIFICATE_MISSING } from './token-endpoint-probe.ts';

/** What is known of a client beside the provider's answers. */
type ClientContext = {
  /** As people know it. */
  readonly provider: string;
  readonly redirectUrl: string;
  readonly scopes: readonly string[];
  /** Whether the provider's addresses hold variables, such as a tenant or a subdomain. */
  readonly hasTenant: boolean;
  /** When the provider was asked. */
  readonly at: string;
};

/** Slower than this, users who wait for a refresh notice it. */
const SLOW_MS = 3_000;
/** Clocks that are kept in step never differ by more; a JWT is mostly valid for five minutes around its time. */
const SKEW_MS_MAX = 30_000;
const SKEW_ERROR_MS = 120_000;

/** Says that a secret has ended, in the words of the large providers. */
const EXPIRED = /\bexpired\b|\bAADSTS7000222\b/i;

/** Findings of what a provider said of a client. Pure. */
export function judgeClient(probe: ClientProbe, context: ClientContext): Finding[] {
  const { token, authorization } = probe;
  const found = authorization === null ? [] : judgeAuthorization(authorization, context);
  // The secret in the place of the id is an unknown id as well.
  const ofAuthorization = probe.isSwapped ? found.filter(({ code }) => code !== 'client_id_unknown') : found;
  // The authorization endpoint knows more closely what the token endpoint sums up as "client refused".
  const isIdUnknown = ofAuthorization.some(({ code }) => code === 'client_id_unknown');
  const ofToken =
    token === null ? judgeUnasked(probe, context) : judgeToken(token, probe, context, isIdUnknown);
  return [...ofToken, ...ofAuthorization];
}

/** The finding on an integration whose client no request asks about. */
export function judgeWithoutClient(provider: Provider): Finding {
  const { name } = provider;
  return usesClient(provider)
    ? createFinding('client_unprovable', { provider: name, reason: CLIENT_IN_CALLS })
    : createFinding('client_not_needed', { provider: name });
}

/** The client is in what signs users in, or in their calls, and shows its fault there. */
export const CLIENT_IN_CALLS = 'client_in_calls';

function judgeUnasked({ reason }: ClientProbe, { provider }: ClientContext): Finding[] {
  if (reason === null || reason === 'no_client') return [createFinding('client_not_needed', { provider })];
  if (reason === 'client_secret_missing' || reason === 'client_key_unusable') {
    return [createFinding('client_secret_missing', { provider })];
  }
  if (reason === CERTIFICATE_MISSING) return [createFinding('client_certificate_unusable', { provider })];
  return [createFinding('client_unprovable', { provider, reason })];
}

function judgeToken(
  token: TokenResponse,
  probe: ClientProbe,
  context: ClientContext,
  isIdUnknown: boolean,
): Finding[] {
  const findings = token.verdict === 'unreachable' ? judgeUnreachable(token, context) : [];
  const isReported = isIdUnknown && token.verdict === 'refused' && !probe.isSwapped;
  const verdict = isReported ? [] : judgeVerdict(token, probe, context);
  return [...findings, ...verdict, ...judgeTiming(token, context)];
}

function judgeVerdict(token: TokenResponse, probe: ClientProbe, context: ClientContext): Finding[] {
  const { provider, redirectUrl } = context;
  const evidence = evidenceOf(token, context);
  switch (token.verdict) {
    case 'accepted':
      return [createFinding('client_accepted', { provider }, { evidence })];
    case 'refused':
      return [judgeRefused(token, probe, context)];
    case 'app_refused':
      return [createFinding('app_unverified', { provider }, { evidence })];
    case 'redirect_refused':
      return [createFinding('redirect_url_refused', { provider, redirectUrl }, { evidence })];
    case 'not_found':
      return [judgeNotFound(token, context)];
    case 'page':
      return [createFinding('token_endpoint_page', { provider, origin: token.origin }, { evidence })];
    case 'unprovable':
      return [
        createFinding('client_unprovable', { provider, reason: token.code ?? 'no_code' }, { evidence }),
      ];
    case 'unreachable':
      return [];
  }
}

function judgeRefused(token: TokenResponse, probe: ClientProbe, context: ClientContext): Finding {
  const { provider } = context;
  const evidence = evidenceOf(token, context);
  const { otherRegion } = probe;
  if (otherRegion !== null) return createFinding('region_wrong', { provider, ...otherRegion }, { evidence });
  if (probe.isSwapped) return createFinding('client_swapped', { provider }, { evidence });
  if (EXPIRED.test(`${token.code} ${token.words}`)) {
    return createFinding('client_secret_expired', { provider }, { evidence });
  }
  if (isIdNamed(token)) return createFinding('client_id_unknown', { provider }, { evidence });
  if (probe.older === 'accepted')
    return createFinding('client_secret_older_used', { provider }, { evidence });
  const isIdKnown = probe.authorization?.verdict === 'accepted' || isSecretNamed(token);
  return createFinding(isIdKnown ? 'client_secret_refused' : 'client_refused', { provider }, { evidence });
}

/** Whether the provider's words say that there is no such client. */
function isIdNamed({ code, words }: TokenResponse): boolean {
  return /client[_ -]?id$/i.test(code ?? '') || CLIENT_NOT_FOUND.test(words ?? '');
}

const CLIENT_NOT_FOUND =
  /\bAADSTS700016\b|\b(?:client|application) (?:was |is )?(?:not found|unknown)\b|\b(?:unknown|no such) (?:client|application)\b/i;

/** Whether the provider's words blame the secret alone, and not "client id or secret". */
function isSecretNamed({ code, words }: TokenResponse): boolean {
  const text = `${code} ${words}`.replaceAll('_', ' ');
  if (/\bAADSTS7000215\b/.test(text)) return true;
  return /\bsecret\b/i.test(text) && !/\bclient ?id\b|\bidentifier\b/i.test(text);
}

function judgeNotFound(token: TokenResponse, context: ClientContext): Finding {
  const { provider } = context;
  const evidence = evidenceOf(token, context);
  if (context.hasTenant) return createFinding('tenant_wrong', { provider }, { evidence });
  return createFinding('provider_down', { provider, origin: token.origin }, { evidence });
}

/** Also for the authorization endpoint, which may be at another host. */
function judgeUnreachable(
  answer: Pick<TokenResponse, 'origin' | 'failure' | 'status' | 'code'>,
  context: ClientContext,
): Finding[] {
  const { provider, hasTenant, at } = context;
  const { origin } = answer;
  const value = answer.failure ?? `status ${answer.status}`;
  const evidence = [{ label: 'Failure', value: `${origin}: ${value}`, at }];
  const [kind = ''] = value.split(' ');
  if (kind === 'dns' && hasTenant) return [createFinding('tenant_wrong', { provider }, { evidence })];
  return [createFinding(codeOfUnreachable(kind), { provider, origin }, { evidence })];
}

/** The finding that says why no answer came. */
export function codeOfUnreachable(kind: string) {
  return UNREACHABLE[kind] ?? 'provider_down';
}

const UNREACHABLE: Readonly<
  Record<
    string,
    | 'provider_name_unresolved'
    | 'provider_tls_broken'
    | 'client_certificate_refused'
    | 'client_certificate_unusable'
    | 'provider_timeout'
    | 'provider_address_refused'
  >
> = {
  dns: 'provider_name_unresolved',
  tls: 'provider_tls_broken',
  certificate_refused: 'client_certificate_refused',
  certificate_unusable: 'client_certificate_unusable',
  timeout: 'provider_timeout',
  aborted: 'provider_timeout',
  refused_address: 'provider_address_refused',
  invalid_url: 'provider_address_refused',
};

function judgeTiming(
  { durationMs, skewMs, origin, failure }: TokenResponse,
  context: ClientContext,
): Finding[] {
  const { provider, at } = context;
  const findings: Finding[] = [];
  if (failure === null && durationMs > SLOW_MS) {
    const seconds = (durationMs / 1000).toFixed(1);
    findings.push(createFinding('provider_slow', { provider, origin, seconds }));
  }
  if (skewMs !== null && Math.abs(skewMs) > SKEW_MS_MAX) {
    const seconds = String(Math.round(skewMs / 1000));
    const severity = Math.abs(skewMs) > SKEW_ERROR_MS ? 'error' : 'warning';
    const evidence = [{ label: 'Our clock is ahead by', value: `${seconds} s`, at }];
    findings.push(createFinding('clock_off', { provider, seconds }, { severity, evidence }));
  }
  return findings;
}

function judgeAuthorization(answer: AuthorizationResponse, context: ClientContext): Finding[] {
  const { provider, redirectUrl, at } = context;
  const status = answer.status === null ? '' : `status ${answer.status}`;
  const value = [answer.code, status].filter((part) => part).join(', ');
  const options = { evidence: [{ label: 'Authorization endpoint', value: value || answer.origin, at }] };
  switch (answer.verdict) {
    case 'client_unknown':
      return [createFinding('client_id_unknown', { provider }, options)];
    case 'redirect_refused':
      return [createFinding('redirect_url_refused', { provider, redirectUrl }, options)];
    case 'scopes_refused':
      return [createFinding('scopes_refused', { provider, scopes: context.scopes.join(', ') }, options)];
    case 'app_refused':
      return [createFinding('app_unverified', { provider }, options)];
    case 'tenant_unknown':
      return [createFinding('tenant_wrong', { provider }, options)];
    case 'not_found':
      return context.hasTenant ? [createFinding('tenant_wrong', { provider }, options)] : [];
    case 'page_refused':
      return [judgeRefusedPage(answer, context, options)];
    case 'unreachable':
      return judgeUnreachable(answer, context);
    default:
      return [];
  }
}

/** A page that refuses every client says less of this one. */
function judgeRefusedPage(
  { status, words, isSameForOthers }: AuthorizationResponse,
  { provider, hasTenant }: ClientContext,
  { evidence }: { readonly evidence: Evidence[] },
): Finding {
  if (status === 404 && hasTenant) return createFinding('tenant_wrong', { provider }, { evidence });
  const parameters = { provider, status: String(status), words: words === null ? '–' : `“${words}”` };
  const severity = isSameForOthers ? 'info' : 'warning';
  return createFinding('authorization_page_refused', parameters, { evidence, severity });
}

function evidenceOf({ code, words, status, origin }: TokenResponse, { at }: ClientContext): Evidence[] {
  const value = [code, status === null ? '' : `status ${status}`].filter((part) => part).join(', ');
  return [
    { label: 'Token endpoint', value: value || origin, at },
    ...(words === null ? [] : [{ label: 'Provider’s words', value: words, at }]),
  ];
}
