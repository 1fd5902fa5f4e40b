import { withClientCertificate } from '../catalog/facts/client-certificate.ts';
import { proofParameter } from '../catalog/facts/client-values.ts';
import { findCredentialPlacement } from '../catalog/facts/credential-placement.ts';
import { compilePattern } from '../catalog/facts/pattern.ts';
import { resolveUrl, validateVariable } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider, ProviderVariable } from '../catalog/schema/provider.schema.ts';
import { placeCredential } from '../lib/credential-placement.ts';
import { parseExactJson } from '../lib/exact-json.ts';
import { isRecord } from '../lib/is-record.ts';
import { readPath, toFilledText } from '../lib/json-path.ts';
import { toStorableText } from '../lib/storable-text.ts';
import { type Outbound, OutboundError, type OutboundRequest } from '../platform/outbound.ts';
import { chooseSigner } from '../request-signing/choose-signer.ts';
import { signWhereWanted } from '../request-signing/own-message.ts';
import { fillParameters } from './authorization-request.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 256 * 1024;
const TEXT_LENGTH_MAX = 255;

/**
 * What an authorization revealed of the account. `variables` are the new ones only (from the token response and the
 * account call). `problem` is null, or says why something is missing; the rest is still what could be read.
 */
export type Account = {
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly variables: Readonly<Record<string, string>>;
  readonly problem: AccountProblem | null;
};

export type AccountProblem =
  /** The provider answered the account call with 401. (403 is a credential that may not ask who it is.) */
  | { readonly kind: 'credential_refused' }
  /** The account call brought no usable answer. */
  | { readonly kind: 'account_unavailable' }
  /** A variable that the API address needs was not reported, or is not what the provider file allows. */
  | { readonly kind: 'variable_invalid'; readonly variable: string };

export type AccountResponse =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly kind: 'credential_refused' | 'account_unavailable' };

/** Makes the provider's account call with the variables known by now. */
export type RequestAccount = (variables: Readonly<Record<string, string>>) => Promise<AccountResponse>;

export type AccountSources = {
  /** `tokens.raw` of the token outcome; leave it out for API keys. */
  readonly tokenResponse?: Readonly<Record<string, unknown>> | undefined;
  /** Query parameters of the callback, each once. */
  readonly callbackParameters?: Readonly<Record<string, string>> | undefined;
  /** Variables of the integration and the connection that are known already (callback variables included). */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Left out: the account call is not made. */
  readonly request?: RequestAccount | undefined;
};

/** Reads who was authorized, where the catalog says that it stands. Makes at most one request; never throws for it. */
export async function readAccount(provider: Provider, sources: AccountSources): Promise<Account> {
  const received = readVariables(provider, 'token-response', sources.tokenResponse);
  if (!received.ok) return unknownAccount({ kind: 'variable_invalid', variable: received.variable });
  const known = templateValues({ before: sources.variables, reported: received.variables });
  const answer = provider.account?.request && sources.request ? await sources.request(known) : undefined;
  const fromAccount = readVariables(provider, 'account', answer?.ok ? answer.body : undefined);
  const ofAccount = fromAccount.ok ? fromAccount.variables : undefined;
  const places = {
    'token-response': sources.tokenResponse,
    'id-token': idTokenClaims(sources.tokenResponse),
    callback: sources.callbackParameters,
    request: answer?.ok ? answer.body : undefined,
    variable: templateValues({ before: known, reported: ofAccount }),
  };
  return {
    accountId: fieldFrom(provider.account?.id, places),
    accountName: fieldFrom(provider.account?.name, places),
    variables: templateValues({ before: received.variables, reported: ofAccount }),
    problem: problemOf(answer, fromAccount),
  };
}

function unknownAccount(problem: AccountProblem): Account {
  return { accountId: null, accountName: null, variables: {}, problem };
}

function problemOf(answer: AccountResponse | undefined, variables: ReadVariables): AccountProblem | null {
  if (answer?.ok === false) return { kind: answer.kind };
  return variables.ok ? null : { kind: 'variable_invalid', variable: variables.variable };
}

export type ReadVariables =
  | { readonly ok: true; readonly variables: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly variable: string };

/**
 * Variables that the callback brings, to be read before the code is exchanged (Zoho names its token endpoint's host
 * there). Refused with the variable's name where a value is missing or not allowed: the parameters came through the
 * browser, so an attacker may have written them.
 */
export function readCallbackVariables(
  provider: Provider,
  parameters: Readonly<Record<string, string>>,
): ReadVariables {
  return readVariables(provider, 'callback', parameters);
}

/**
 * The token-response variables that the response to a refresh repeats (an account that moved to another host). What
 * is missing or not allowed is left out, so that the values from the authorization stay.
 */
export function readVariablesAgain(
  provider: Provider,
  tokenResponse: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const received = provider.variables
    .filter(({ from }) => from === 'token-response')
    .map((variable) => {
      const value = readAccountValue(variable, tokenResponse);
      const judged = value === undefined ? undefined : validateVariable(variable, value);
      return [variable.name, judged?.ok ? judged.value : undefined] as const;
    });
  return Object.fromEntries(
    received.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function readVariables(provider: Provider, from: ProviderVariable['from'], source: unknown): ReadVariables {
  const variables: Record<string, string> = {};
  for (const variable of provider.variables.filter((candidate) => candidate.from === from)) {
    const value = readAccountValue(variable, source) ?? variable.default;
    const judged = value === undefined ? undefined : validateVariable(variable, value);
    if (judged?.ok) variables[variable.name] = judged.value;
    // A variable that no address needs may be missing; a value that is there must be one that the file allows.
    else if (judged !== undefined || isVariableNeeded(provider, variable))
      return { ok: false, variable: variable.name };
  }
  return { ok: true, variables };
}

/** What is there in place of the wanted part is no value, and is refused as one that is not allowed. */
function readAccountValue({ path, part }: ProviderVariable, source: unknown): string | undefined {
  const text = toFilledText(readPath(source, path));
  return text === undefined ? undefined : (wantedPart(part, text) ?? '');
}

function isVariableNeeded(provider: Provider, { name }: ProviderVariable): boolean {
  const { apiBaseUrl, tokenUrl, refreshUrl, login } = provider;
  const ofLogin = login?.steps.map(({ url }) => url) ?? [];
  return [apiBaseUrl, tokenUrl, refreshUrl, ...ofLogin].some((url) => url?.includes(`{${name}}`));
}

type AccountField = NonNullable<Provider['account']>['id'];

function fieldFrom(field: AccountField | undefined, places: Readonly<Record<AccountField['from'], unknown>>) {
  if (field === undefined) return null;
  const found = [field.path].flat().flatMap((path) => toFilledText(readPath(places[field.from], path)) ?? []);
  const parts = field.take === 'first' ? found.slice(0, 1) : found;
  const text = wantedPart(field.pattern, parts.join(' ').trim())?.slice(0, TEXT_LENGTH_MAX);
  // Cutting may have halved a surrogate pair.
  const stored = toStorableText(text ?? '');
  return stored === '' ? null : stored;
}

/** What the pattern's first group catches; all of it where there is no pattern, nothing where it does not match. */
function wantedPart(pattern: string | undefined, text: string): string | undefined {
  if (pattern === undefined) return text;
  const compiled = compilePattern(pattern);
  return compiled.ok ? compiled.pattern.firstGroupIn(text) : undefined;
}

/**
 * Claims of the id token, its signature unchecked: it came over TLS from the token endpoint itself, where OpenID
 * Connect Core 3.1.3.7 lets the connection vouch for it.
 */
function idTokenClaims(tokenResponse: Readonly<Record<string, unknown>> | undefined): unknown {
  const idToken = tokenResponse?.id_token;
  const payload = typeof idToken === 'string' ? idToken.split('.')[1] : undefined;
  if (payload === undefined) return undefined;
  const claims = parseExactJson(Buffer.from(payload, 'base64url').toString('utf8'));
  return isRecord(claims) ? claims : undefined;
}

/**
 * The account call of a provider, with the credential. `credentials` fill the catalog's templates beside the variables:
 * `accessToken`, or `apiKey`, or `username` and `password`; secret variables and `clientId`.
 */
export function createAccountRequest(
  deps: { readonly outbound: Outbound },
  provider: Provider,
  credentials: Readonly<Record<string, string>>,
): RequestAccount {
  return async (variables) => {
    const request = provider.account?.request;
    const message =
      request &&
      credentialedMessage(provider, request, templateValues({ connection: variables, credentials }));
    if (message === undefined) return { ok: false, kind: 'account_unavailable' };
    try {
      const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: RESPONSE_BYTES_MAX };
      const { status, body } = await deps.outbound.request({ ...message, ...limits });
      return judgeAccountResponse(status, body);
    } catch (error) {
      if (error instanceof OutboundError) return { ok: false, kind: 'account_unavailable' };
      throw error;
    }
  };
}

/** What an answer to the account call means. */
export function judgeAccountResponse(status: number, body: Buffer): AccountResponse {
  if (status === 401) return { ok: false, kind: 'credential_refused' };
  if (status !== 200) return { ok: false, kind: 'account_unavailable' };
  const content = parseExactJson(body.toString('utf8'));
  return content === undefined ? { ok: false, kind: 'account_unavailable' } : { ok: true, body: content };
}

/** A request of a provider file that carries the credential of a connection. */
export type CredentialedRequest = Pick<
  NonNullable<NonNullable<Provider['account']>['request']>,
  'url' | 'method' | 'headers' | 'body'
>;

/**
 * A declared request with the credential in its place, or with its signature of now; undefined where a value is
 * missing.
 */
export function credentialedMessage(
  provider: Provider,
  request: CredentialedRequest,
  values: Readonly<Record<string, string>>,
): OutboundRequest | undefined {
  const url = resolveUrl(request.url, provider, values);
  const credential = placeCredential(findCredentialPlacement(provider), values);
  if (!url.ok || credential === undefined) return undefined;
  const target = new URL(url.url);
  if (credential.in === 'path') target.pathname = `${credential.basePath}${target.pathname}`;
  const query = {
    ...fillParameters(provider.apiQuery, values),
    ...(credential.in === 'query' && { [credential.name]: credential.value }),
    ...proofParameter(provider, values),
  };
  for (const [name, value] of Object.entries(query)) {
    if (!target.searchParams.has(name)) target.searchParams.append(name, value);
  }
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const headers = {
    Accept: 'application/json',
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...fillParameters(provider.apiHeaders, values),
    ...(credential.in === 'header' && { [credential.name]: credential.value }),
    // Last, since this one call may want the credential in a place of its own (Mailchimp's "OAuth …").
    ...fillParameters(request.headers, values),
  };
  const bare = { method: request.method, url: target.href, headers, ...(body !== undefined && { body }) };
  const message = withClientCertificate(bare, provider, 'api', values);
  const hostName = hostNameOf(provider, request.url);
  return signWhereWanted(chooseSigner(provider), message, { values, hostName, nowMs: Date.now() });
}

/** The further host that a declared request goes to. */
function hostNameOf({ hosts }: Provider, url: string): string | undefined {
  return Object.entries(hosts).find(([, host]) => url.startsWith(host.url))?.[0];
}
