import { certificateVariables } from '../../catalog/facts/client-certificate.ts';
import { clientValues } from '../../catalog/facts/client-values.ts';
import { createStandIns } from '../../catalog/facts/placeholders.ts';
import { templateValues } from '../../catalog/facts/template-values.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { HttpError } from '../../http/errors.ts';
import type { OAuthClient, Target } from '../../oauth/token-message.ts';
import type { Outbound, OutboundRequest } from '../../platform/outbound.ts';
import type { Credential } from '../../proxy/contract.ts';
import type { Asking, ClientTokens } from '../client/client-tokens.ts';
import type { IntegrationClient, IntegrationTarget } from '../client/integration-client.ts';
import type { AccessTokens } from '../refreshing/access-tokens.ts';
import type { CredentialState } from '../refreshing/credential-state.store.ts';
import { type ApiRequest, buildApiMessage } from './api-message.ts';
import { clientCredential } from './application-client.ts';
import { type ClientIdentity, createProviderClient, type ProviderClient } from './provider-client.ts';
import type { RefusedCalls } from './refused-calls.ts';
import { createTokenLife, LIFE_MS_MIN, type TokenLife, toRefusalError } from './token-life.ts';
import { prepareConnection, readApiFields, type WarmConnection } from './warm-connection.ts';

/** A connection on which the gateway itself calls the provider. */
export type ConnectionClient = ProviderClient &
  /** The integration and the version of it from which the client is, and whose its token requests are. */
  Asking & {
    readonly provider: Provider;
    /** Of the integration and the connection, none of them secret. */
    readonly variables: Readonly<Record<string, string>>;
    readonly apiOrigin: string;
    /** Values that must not be shown. */
    secrets(): readonly string[];
    /** The same API, called with tokens of the integration's own client. */
    asApplication(clientTokens: ClientTokens, scopes: readonly string[]): ProviderClient;
    /** The request as it would go out, with placeholders (`<accessToken>`) for every secret. */
    show(request: ApiRequest): OutboundRequest;
  };

export type OpenConnection = (owner: {
  readonly connectionId: string;
  readonly projectId: string;
}) => Promise<ConnectionClient>;

type Dependencies = {
  outbound: Outbound;
  client: Pick<IntegrationClient, 'findTarget' | 'clientOf'>;
  readCredentials(connectionId: string, projectId: string): Promise<CredentialState | undefined>;
  accessTokens: Pick<AccessTokens, 'refresh' | 'refreshAfter401'>;
  /** Called with credentials that the provider refuses and that cannot be renewed. */
  refusedCalls?: Pick<RefusedCalls, 'note'>;
  now(): number;
};

/**
 * Opens connections for the gateway's own calls to providers, beside those of the proxy. Opening throws
 * `connection_not_found`, `reauthorization_required`, `integration_misconfigured` and other refusals of a refresh.
 */
export function createOpenConnection(deps: Dependencies): OpenConnection {
  const life = createTokenLife(deps);
  return async ({ connectionId, projectId }) => {
    const state = await deps.readCredentials(connectionId, projectId);
    const target = state && (await deps.client.findTarget(state));
    if (state === undefined || target === undefined) throw new HttpError('connection_not_found');
    if (state.status !== 'active') throw toRefusalError({ ok: false, code: 'reauthorization_required' });
    const client = await deps.client.clientOf(target.integration);
    return createConnectionClient({ ...deps, life }, { state, target, client });
  };
}

type Opened = {
  readonly state: CredentialState;
  readonly target: IntegrationTarget;
  readonly client: OAuthClient;
};

function createConnectionClient(
  deps: Pick<Dependencies, 'outbound' | 'now'> & { readonly life: TokenLife },
  { state, target: { provider, integration }, client }: Opened,
): ConnectionClient {
  const integrationValues = templateValues({
    integration: integration.variables,
    integrationSecrets: client.secretVariables,
    gateway: clientValues(provider, client.clientId, client.clientSecrets[0]),
  });
  const warm = prepareConnection(
    provider,
    state.projectId,
    integrationValues,
    { ...state, endUserId: '' },
    { spread: 0, nowMs: deps.now() },
  );
  const api = warm.resolved;
  const variables = templateValues({ integration: integration.variables, connection: state.variables });
  const asking: Asking = {
    integration,
    tokenTarget: (): Target => ({ provider, client, variables }),
  };
  const certificateValues = pick(
    templateValues({
      integration: integrationValues,
      connection: state.variables,
      credentials: state.credentials.values,
    }),
    certificateVariables(provider, 'api'),
  );
  return {
    ...createProviderClient(deps, {
      provider,
      api,
      certificateValues,
      ...connectionCredential(deps, warm),
    }),
    ...asking,
    provider,
    variables,
    apiOrigin: api.apiBase.origin,
    secrets() {
      const known = new Set(Object.values(variables));
      const values = [
        ...Object.values(warm.credential.values),
        ...Object.values(client.secretVariables ?? {}),
      ];
      return [...values.filter((value) => !known.has(value)), ...client.clientSecrets];
    },
    asApplication(clientTokens, scopes) {
      const credential = clientCredential(clientTokens, asking, { scopes, values: warm.credential.values });
      return createProviderClient(deps, { provider, api, ...credential });
    },
    show: (request) => showApiMessage(request, warm, new Set(Object.keys(variables))),
  };
}

/** The credential of a connection, refreshed before it ends and after its provider refused it. */
function connectionCredential(
  { life, now }: { readonly life: TokenLife; now(): number },
  warm: WarmConnection,
): Pick<ClientIdentity, 'credential' | 'credentialAfter'> {
  return {
    async credential(): Promise<Credential> {
      const nowMs = now();
      if (warm.refreshMethod === undefined || nowMs < warm.refreshFromMs) return warm.credential;
      const renewal = await life.refresh(warm);
      if (renewal.ok) return renewal.credential;
      const isUseless =
        renewal.code === 'reauthorization_required' || nowMs >= warm.expiresAtMs - LIFE_MS_MIN;
      if (isUseless) throw toRefusalError(renewal);
      return warm.credential;
    },
    async credentialAfter(used) {
      const renewal = await life.refreshAfter401(warm, used);
      if (renewal === null) return null;
      if (!renewal.ok) throw toRefusalError(renewal);
      return renewal.credential;
    },
  };
}

/** A request with placeholders for every value but the `known` ones. */
function showApiMessage(
  request: ApiRequest,
  { resolved, credential, provider }: WarmConnection,
  known: ReadonlySet<string>,
): OutboundRequest {
  const placeholders = createStandIns();
  const values = Object.fromEntries(
    Object.entries(credential.values).map(([name, value]) => [
      name,
      known.has(name) ? value : placeholders.of(name),
    ]),
  );
  const message = buildApiMessage(
    request,
    { ...resolved, ...readApiFields(provider, values) },
    { version: 0, values },
  );
  const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [
    name,
    placeholders.reveal(value),
  ]);
  return { ...message, url: placeholders.reveal(message.url), headers: Object.fromEntries(headers) };
}

function pick(values: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}
