import { randomBytes } from 'node:crypto';
import {
  certificateOwner,
  clientCertificateFor,
  isCertificateOptional,
} from '../catalog/facts/client-certificate.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider, ProviderVariable } from '../catalog/schema/provider.schema.ts';
import { listPlaceholders } from '../lib/template.ts';
import { redirectUriFor } from '../oauth/authorization-request.ts';
import { createTokenEndpoint } from '../oauth/token-endpoint.ts';
import type { TokenOutcome } from '../oauth/token-outcome.ts';
import type { Outbound } from '../platform/outbound.ts';
import { createAuthorizationProbe, describeFailure, type ProbeTarget } from './authorization-probe.ts';
import type { ClientProbe, TokenResponse } from './client-probe.schema.ts';
import { type Exchange, watchOutbound } from './watched-outbound.ts';

/** Regions that are tried where the given one refuses the client. */
const REGIONS_MAX = 6;

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
  const authorizationProbe = createAuthorizationProbe(deps);

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

  /** Whether the token endpoint takes the client id for the secret, and the other way round. */
  async function acceptsSwapped(target: ProbeTarget, signal: AbortSignal): Promise<boolean> {
    const { clientId, clientSecrets } = target.client;
    const [newest] = clientSecrets;
    // The secret goes to the token endpoint alone, in the place of the id.
    if (newest === undefined || clientId === '') return false;
    const { noteVerdict: _, ...client } = target.client;
    const swapped = { ...target, client: { ...client, clientId: newest, clientSecrets: [clientId] } };
    const answer = await askTokenEndpoint(swapped, signal);
    return typeof answer !== 'string' && answer.verdict === 'accepted';
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
      authorizationProbe.ask(target, signal),
    ]);
    const isRefused = typeof answer !== 'string' && answer.verdict === 'refused';
    const isCompared = authorization !== null && (isRefused || (authorization.status ?? 0) >= 400);
    const known = isCompared
      ? await authorizationProbe.compare(target, authorization, signal)
      : authorization;
    const none = { older: null, otherRegion: null, isSwapped: false, authorization: known };
    if (typeof answer === 'string') return { token: null, reason: answer, ...none };
    if (answer.verdict !== 'refused') return { token: answer, reason: null, ...none };
    const ofOlder = older === undefined ? null : await askTokenEndpoint(withSecret(older, 1), signal);
    const otherRegion = await findOtherRegion(withSecret(newest, 0), signal);
    const verdict = ofOlder === null || typeof ofOlder === 'string' ? null : ofOlder.verdict;
    const isSwapped = verdict !== 'accepted' && (await acceptsSwapped(target, signal));
    return { token: answer, reason: null, older: verdict, otherRegion, isSwapped, authorization: known };
  };
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
