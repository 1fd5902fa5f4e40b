import { randomBytes, randomInt } from 'node:crypto';
import {
  certificateOwner,
  clientCertificateFor,
  isCertificateOptional,
} from '../catalog/facts/client-certificate.ts';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider, ProviderVariable } from '../catalog/schema/provider.schema.ts';
import { listPlaceholders } from '../lib/template.ts';
import {
  authorizationRequestUrl,
  buildAuthorizationParameters,
  redirectUriFor,
} from '../oauth/authorization-request.ts';
import { createTokenEndpoint } from '../oauth/token-endpoint.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { TokenOutcome } from '../oauth/token-outcome.ts';
import { type Outbound, OutboundError, type OutboundResponse } from '../platform/outbound.ts';
import { judgeAuthorizationResponse } from './authorization-response.ts';
import type { AuthorizationResponse, ClientProbe, TokenResponse } from './client-probe.schema.ts';
import { type Exchange, watchOutbound } from './watched-outbound.ts';

const PAGE_BYTES_MAX = 512 * 1024;
/** Regions that are tried where the given one refuses the client. */
const REGIONS_MAX = 6;

/** A client as it is or is about to be configured. */
type ProbeTarget = {
  readonly provider: Provider;
  readonly client: OAuthClient;
  readonly scopes: readonly string[];
  readonly optionalScopes: readonly string[];
  readonly authorizationParams?: Readonly<Record<string, string>> | undefined;
  /** Of the integration, and where it has none of a name, those of a connection. */
  readonly variables: Readonly<Record<string, string>>;
  readonly redirectUrl: string;
};

export type ProbeClient = (target: ProbeTarget, signal: AbortSignal) => Promise<ClientProbe>;

/**
 * Asks a provider about a client: its token endpoint with a code that it never issued, which no server can exchange, and
 * its authorization endpoint as a browser without cookies would. Never throws for what a provider or a network does.
 */
export function createClientProbe(deps: {
  outbound: Outbound;
  now(): number;
  timeoutMs: number;
}): ProbeClient {
  const { now, timeoutMs } = deps;

  async function askTokenEndpoint(target: ProbeTarget, signal: AbortSignal): Promise<TokenResponse | string> {
    const { provider, client } = target;
    const lacking = lackingCertificate(target);
    if (lacking !== undefined) return lacking;
    let last: Exchange | undefined;
    const outbound = watchOutbound(deps.outbound, now, (exchange) => {
      last = exchange;
    });
    const endpoint = createTokenEndpoint({ outbound, timeoutMs });
    const redirectUri = redirectUriFor(provider, target.redirectUrl, target.variables) ?? target.redirectUrl;
    const request = { provider, client, variables: target.variables, redirectUrl: redirectUri, signal };
    const outcome =
      provider.auth === 'oauth2-client-credentials'
        ? await endpoint.clientCredentials({ ...request, scopes: target.scopes })
        : await endpoint.exchangeCode({
            ...request,
            code: `not-a-code-${randomBytes(12).toString('hex')}`,
            redirectUri,
            codeVerifier: provider.pkce ? randomBytes(32).toString('base64url') : null,
          });
    // Nothing was sent: a secret is missing, or a variable of the address.
    if (last === undefined) return outcome.ok ? 'nothing_sent' : outcome.errorCode;
    return describeTokenResponse(outcome, last);
  }

  async function askAuthorizationEndpoint(
    target: ProbeTarget,
    signal: AbortSignal,
  ): Promise<AuthorizationResponse | null> {
    const { provider, client, variables } = target;
    const { clientId } = client;
    const redirectUri = redirectUriFor(provider, target.redirectUrl, variables);
    const base = resolveUrl(
      provider.authorizationUrl ?? '',
      provider,
      templateValues({ integration: variables, gateway: { clientId } }),
    );
    if (provider.auth !== 'oauth2' || !base.ok || redirectUri === undefined) return null;
    const parameters = buildAuthorizationParameters({
      provider,
      integration: { ...target, clientId },
      redirectUri,
      state: randomBytes(32).toString('base64url'),
      nonce: randomBytes(16).toString('base64url'),
      variables,
      ...(provider.pkce && { codeChallenge: randomBytes(32).toString('base64url') }),
    });
    const url = authorizationRequestUrl(base.url, parameters, provider.authorizationFragment);
    const { origin } = new URL(url);
    const answer = await fetchPage(url, signal);
    if (answer instanceof OutboundError) {
      const isReached = answer.kind === 'too_large';
      const verdict = isReached ? 'unprovable' : 'unreachable';
      return { verdict, origin, code: null, status: null, failure: failureOf(answer) };
    }
    return {
      ...judgeAuthorizationResponse(answer, redirectUri),
      origin,
      status: answer.status,
      failure: null,
    };
  }

  /**
   * A log-in page says nothing of the client, unless a client that cannot exist gets something else: then this one is
   * known, and a refusal at the token endpoint is about its secret.
   */
  async function judgeByControl(
    target: ProbeTarget,
    answer: AuthorizationResponse,
    signal: AbortSignal,
  ): Promise<AuthorizationResponse> {
    if (answer.verdict !== 'unprovable' || answer.status === null || answer.status >= 400) return answer;
    const clientId = resemble(target.client.clientId);
    const control = await askAuthorizationEndpoint(
      { ...target, client: { ...target.client, clientId } },
      signal,
    );
    const isRefused =
      control?.verdict === 'client_unknown' ||
      (control?.status != null && control.status >= 400 && control.status < 500 && control.status !== 429);
    return isRefused ? { ...answer, verdict: 'accepted' } : answer;
  }

  async function fetchPage(url: string, signal: AbortSignal): Promise<OutboundResponse | OutboundError> {
    try {
      const headers = { Accept: 'text/html, */*;q=0.5' };
      const limits = { timeoutMs, responseBytesMax: PAGE_BYTES_MAX };
      return await deps.outbound.request({ url, headers, signal, ...limits });
    } catch (error) {
      if (error instanceof OutboundError) return error;
      throw error;
    }
  }

  /** The first of the provider's other regions whose token endpoint knows the client. */
  async function findOtherRegion(
    target: ProbeTarget,
    signal: AbortSignal,
  ): Promise<ClientProbe['otherRegion']> {
    const variable = regionOf(target.provider);
    const region = variable && target.variables[variable.name];
    if (variable === undefined || region === undefined) return null;
    const others = (variable.options ?? []).map(({ value }) => value).filter((value) => value !== region);
    for (const otherRegion of others.slice(0, REGIONS_MAX)) {
      const tried = { [variable.name]: otherRegion };
      const variables = templateValues({ before: target.variables, entered: tried });
      const answer = await askTokenEndpoint({ ...target, variables }, signal);
      if (typeof answer !== 'string' && answer.verdict === 'accepted') {
        return { variable: variable.name, region, otherRegion };
      }
    }
    return null;
  }

  return async (asked, signal) => {
    const target = { ...asked, variables: withDefaults(asked.provider, asked.variables) };
    const [newest, older] = target.client.clientSecrets;
    const withSecret = (secret: string | undefined, index: number): ProbeTarget => ({
      ...target,
      client: {
        ...target.client,
        clientSecrets: secret === undefined ? [] : [secret],
        noteVerdict: (_index, verdict) => target.client.noteVerdict?.(index, verdict),
      },
    });
    const [answer, authorization] = await Promise.all([
      askTokenEndpoint(withSecret(newest, 0), signal),
      askAuthorizationEndpoint(target, signal),
    ]);
    const none = { older: null, otherRegion: null, authorization };
    if (typeof answer === 'string') return { token: null, reason: answer, ...none };
    if (answer.verdict !== 'refused') return { token: answer, reason: null, ...none };
    const known = authorization && (await judgeByControl(target, authorization, signal));
    const ofOlder = older === undefined ? null : await askTokenEndpoint(withSecret(older, 1), signal);
    const otherRegion = await findOtherRegion(withSecret(newest, 0), signal);
    const verdict = ofOlder === null || typeof ofOlder === 'string' ? null : ofOlder.verdict;
    return { token: answer, reason: null, older: verdict, otherRegion, authorization: known };
  };
}

/** What a token endpoint's outcome proves of the client. Pure. */
export function describeTokenResponse(outcome: TokenOutcome, exchange: Exchange): TokenResponse {
  const { origin, status, durationMs, skewMs } = exchange;
  const failure = exchange.failure === null ? null : failureOf(exchange.failure);
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

/** A made-up id of the same shape, which servers that look at the shape first do not distinguish from a real one. */
function resemble(clientId: string): string {
  const random = (letters: string) => letters.charAt(randomInt(letters.length));
  return clientId
    .replace(/[0-9]/g, () => random('0123456789'))
    .replace(/[a-z]/g, () => random('abcdef'))
    .replace(/[A-Z]/g, () => random('ABCDEF'));
}

/** Names of the resolver's and Node's for a name without an address. */
const NAME_FAILURES = /^(?:ENOTFOUND|ENODATA|ESERVFAIL|EAI_\w+|EBADNAME|ENONAME)$/;

/** `dns`, `network`, `tls`, `timeout` and so on, with the code that Node gives: `network ECONNREFUSED`. */
function failureOf({ kind, code }: Pick<OutboundError, 'kind' | 'code'>): string {
  const name = kind === 'network' && code !== undefined && NAME_FAILURES.test(code) ? 'dns' : kind;
  return code === undefined ? name : `${name} ${code}`;
}

/** The variable of the addresses that names one of the provider's regions: it has a list of values. */
function regionOf({ variables, tokenUrl = '' }: Provider): ProviderVariable | undefined {
  const named = listPlaceholders(tokenUrl);
  return variables.find(({ name, options }) => options !== undefined && named.includes(name));
}

/** What users choose later has a usual value, or any of those that there are. */
function withDefaults(
  { variables }: Provider,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const usual = variables.flatMap(({ name, default: value, options }) => {
    const first = value ?? options?.[0]?.value;
    return first === undefined ? [] : [[name, first] as const];
  });
  return templateValues({ defaults: Object.fromEntries(usual), integration: given });
}
