import { isSignedKind } from '../../catalog/facts/auth-kinds.ts';
import { certificateVariables, clientCertificateFor } from '../../catalog/facts/client-certificate.ts';
import { proofParameter } from '../../catalog/facts/client-values.ts';
import { findCredentialPlacement, findTokenParameter } from '../../catalog/facts/credential-placement.ts';
import { isLoginKind } from '../../catalog/facts/login-kinds.ts';
import { templateValues } from '../../catalog/facts/template-values.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { HttpError } from '../../http/errors.ts';
import { fillParameters } from '../../oauth/authorization-request.ts';
import type { ApiBase, Credential, ResolvedConnection } from '../../proxy/contract.ts';
import { chooseSigner } from '../../request-signing/choose-signer.ts';
import { chooseRefreshMethod, isRenewable, refreshMarginMs } from '../refreshing/refresh-method.ts';
import { buildRefreshTarget, type RefreshTarget } from '../refreshing/refresh-target.ts';
import { resolveAccessFacts } from './access-facts.ts';
import { resolveApiBase, resolveApiHosts } from './api-hosts.ts';
import type { ApiAddress } from './api-message.ts';
import { findApplicationFields } from './application-fields.ts';
import { readCallRefusal } from './call-refusal.ts';
import type { OwnNotice } from './own-notices.ts';
import type { UserConnection } from './user-connections.store.ts';

/** A connection with what the hot path needs, prepared once. `credential` changes with every refresh. */
export type WarmConnection = {
  /** Its object stays the same for as long as it is warm; a refresh changes what is made of the access token. */
  readonly resolved: Omit<ResolvedConnection, 'apiHeaders' | 'apiQuery'> & {
    apiHeaders: ResolvedConnection['apiHeaders'];
    apiQuery: ResolvedConnection['apiQuery'];
  };
  readonly status: UserConnection['status'];
  /** The version of an organization's client that made it; null: the integration's own did. */
  readonly organizationClientId: string | null;
  readonly disabledReason: string | undefined;
  /** The provider has refused calls of it, and none has been answered well since. */
  readonly isDoubted: boolean;
  /** What the next access token is requested with; undefined where there is no next one. */
  readonly refreshMethod: ReturnType<typeof chooseRefreshMethod>;
  readonly provider: Provider;
  readonly integrationValues: Readonly<Record<string, string>>;
  readonly spread: number;
  credential: Credential;
  expiresAtMs: number;
  refreshFromMs: number;
  /** Set while the notice of a refresh of this very object may come. */
  ownNotice: OwnNotice | undefined;
};

/**
 * A stored connection, prepared for calls. `integrationValues` are the integration's variables, secret ones included,
 * and `clientId`. `spread` in [0, 1) sets apart when tokens issued together are refreshed. Throws
 * `integration_misconfigured` where the API's address lacks a variable.
 */
export function prepareConnection(
  provider: Provider,
  projectId: string,
  integrationValues: Readonly<Record<string, string>>,
  connection: UserConnection,
  { spread, nowMs }: { readonly spread: number; readonly nowMs: number },
  readingTools?: readonly string[],
): WarmConnection {
  const known = templateValues({
    integration: integrationValues,
    connection: connection.variables,
    credentials: connection.credentials.values,
  });
  const values = readCallValues(provider, known);
  const apiBase = apiBaseOf(provider, values);
  const refreshMethod = chooseRefreshMethod(provider, connection.credentials.refreshToken !== null);
  const isTyped = (name: string) => Object.hasOwn(connection.credentials.values, name);
  return {
    resolved: {
      projectId,
      connectionId: connection.connectionId,
      integrationId: connection.integrationId,
      endUserId: connection.endUserId,
      ...(connection.organization !== undefined && { organization: connection.organization }),
      providerId: provider.id,
      apiBase,
      accessFactsAt: resolveAccessFacts(provider, apiBase, values, readingTools),
      apiHosts: resolveApiHosts(provider, values),
      ...readApiFields(provider, values),
      applicationFields: findApplicationFields(provider, values, isTyped),
      placement: findCredentialPlacement(provider),
      signer: chooseSigner(provider),
      clientCertificate: clientCertificateFor(provider, 'api', known),
      ...callRulesOf(provider),
      ...(provider.callRefused && { callRefused: readCallRefusal(provider, isRenewable(refreshMethod)) }),
    },
    status: connection.status,
    organizationClientId: connection.organizationClient?.id ?? null,
    disabledReason: connection.disabledReason,
    isDoubted: (connection.callRefusals ?? 0) > 0,
    refreshMethod,
    provider,
    integrationValues: readCallValues(provider, integrationValues),
    spread,
    credential: { version: connection.version, values },
    ...refreshSchedule(provider, connection, spread, nowMs),
    ownNotice: undefined,
  };
}

/**
 * Where calls go that the integration's application makes for itself. Throws `integration_misconfigured` where the API's
 * address lacks a variable.
 */
export function readApplication(
  provider: Provider,
  integrationValues: Readonly<Record<string, string>>,
): ApiAddress {
  const values = readCallValues(provider, integrationValues);
  return {
    apiBase: apiBaseOf(provider, values),
    ...readApiFields(provider, values),
    placement: findCredentialPlacement(provider),
    signer: chooseSigner(provider),
    clientCertificate: clientCertificateFor(provider, 'api', integrationValues),
  };
}

/**
 * When the token expires and from when on it is to be refreshed, in milliseconds since the epoch by this process's clock.
 * The store says how long the token still lives, so that clocks that differ do not matter.
 */
export function refreshSchedule(
  provider: Provider,
  token: { readonly expiresInMs: number | null; readonly lifetimeSeconds: number | null },
  spread: number,
  nowMs: number,
) {
  const { expiresInMs, lifetimeSeconds } = token;
  if (expiresInMs === null)
    return { expiresAtMs: Number.POSITIVE_INFINITY, refreshFromMs: Number.POSITIVE_INFINITY };
  const expiresAtMs = nowMs + expiresInMs;
  return { expiresAtMs, refreshFromMs: expiresAtMs - refreshMarginMs(provider, lifetimeSeconds, spread) };
}

/** What the catalog says of waiting for answers and of reading them. */
function callRulesOf({
  timeouts,
  paging,
  responseHeaders,
  retry,
  rateLimit,
  mcp,
}: Provider): Pick<
  ResolvedConnection,
  'timeouts' | 'linkMembers' | 'responseHeaders' | 'waitRules' | 'hasOpenStreams'
> {
  return {
    ...(timeouts && { timeouts }),
    ...(mcp && { hasOpenStreams: true }),
    ...(paging?.links && { linkMembers: paging.links }),
    ...((retry || rateLimit) && { waitRules: { retry, rateLimit } }),
    ...(responseHeaders.length > 0 && {
      responseHeaders: new Set(responseHeaders.map((name) => name.toLowerCase())),
    }),
  };
}

/** Fields and parameters for every call. One that names a value which is not known is left out. */
export function readApiFields(
  provider: Provider,
  values: Readonly<Record<string, string>>,
): Pick<ResolvedConnection, 'apiHeaders' | 'apiQuery'> {
  const credential = findTokenParameter(provider)?.name;
  const fixed = Object.entries(fillParameters(provider.apiQuery, values)).filter(
    ([name]) => name !== credential,
  );
  const proof = Object.entries(proofParameter(provider, values));
  const unless = provider.accessTokenProof?.unless;
  return {
    apiHeaders: Object.entries(fillParameters(provider.apiHeaders, values)),
    apiQuery: [
      ...fixed.map((pair) => [pair[0], parameterOf(pair)] as const),
      ...proof.map((pair) => [unless ?? pair[0], parameterOf(pair)] as const),
    ],
  };
}

function parameterOf([name, value]: readonly [string, string]): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

/**
 * The values that calls may need. A key with which the gateway logs in is not among them, and stays out of memory; nor is
 * a client certificate, which the connection holds for itself.
 */
export function readCallValues(
  provider: Pick<Provider, 'auth' | 'variables' | 'clientCertificate'>,
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const { auth, variables } = provider;
  const files = isLoginKind(auth) ? variables.filter(({ input }) => input !== undefined) : [];
  // A key that signs calls may be that of the certificate.
  const shown = isSignedKind(auth) ? [] : certificateVariables(provider);
  const left = new Set([...files.map(({ name }) => name), ...shown]);
  if (left.size === 0) return { ...values };
  return Object.fromEntries(Object.entries(values).filter(([name]) => !left.has(name)));
}

function apiBaseOf(provider: Provider, values: Record<string, string>): ApiBase {
  const resolved = resolveApiBase(provider.apiBaseUrl, provider, values);
  // A key in the path stands in the place of the base path.
  if (resolved.ok) return provider.apiKey?.in === 'path' ? { ...resolved.base, basePath: '' } : resolved.base;
  throw new HttpError('integration_misconfigured', {
    detail: `The API address lacks “${resolved.variable}”.`,
  });
}

/** What is refreshed: the credential that is in memory. */
export function refreshTarget(warm: WarmConnection): RefreshTarget {
  const { resolved, organizationClientId, credential, provider } = warm;
  return buildRefreshTarget(provider, { ...resolved, organizationClientId, version: credential.version });
}
