import { certificateVariables } from '../../catalog/facts/client-certificate.ts';
import { clientValues } from '../../catalog/facts/client-values.ts';
import { createStandIns } from '../../catalog/facts/placeholders.ts';
import { templateValues } from '../../catalog/facts/template-values.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { HttpError } from '../../http/errors.ts';
import type { OAuthClient, Target } from '../../oauth/token-message.ts';
import type { Outbound, OutboundRequest, OutboundResponse } from '../../platform/outbound.ts';
import type { Credential } from '../../proxy/contract.ts';
import { signMessage } from '../../request-signing/own-message.ts';
import type { IntegrationClient } from '../client/integration-client.ts';
import type { AccessTokens } from '../refreshing/access-tokens.ts';
import type { CredentialState } from '../refreshing/credential-state.store.ts';
import { isRenewable } from '../refreshing/refresh-method.ts';
import type { RefreshRefusal } from '../refreshing/refresh-result.ts';
import { type ApiRequest, buildApiMessage, type RequestLimits } from './api-message.ts';
import { isCallRefused } from './call-refusal.ts';
import type { RefusedCalls } from './refused-calls.ts';
import {
  apiFieldsOf,
  callValuesOf,
  prepareConnection,
  refreshTarget,
  type WarmConnection,
} from './warm-connection.ts';

/** A token that lives no longer than this is refreshed before a call. */
const LIFE_MS_MIN = 15_000;

/** A connection on which the gateway itself calls the provider. */
export type ConnectionClient = {
  readonly provider: Provider;
  /** Of the integration and the connection, none of them secret. */
  readonly variables: Readonly<Record<string, string>>;
  readonly apiOrigin: string;
  /** Values that must not be shown. */
  secrets(): readonly string[];
  /**
   * One request with the connection's credential, and one more with a newer one where the provider refuses it. Rejects
   * with OutboundError, and with `reauthorization_required` and other refusals of a refresh.
   */
  call(request: ApiRequest, limits: RequestLimits): Promise<OutboundResponse>;
  /**
   * The same for an address that the provider gave (the next page). Undefined where it leads to another origin, which
   * must not see the credential.
   */
  follow(link: string, request: ApiRequest, limits: RequestLimits): Promise<OutboundResponse> | undefined;
  /**
   * Calls that stand outside of the API: `ask` gets the values that fill the catalog's templates, the credential among
   * them, and once more with a newer one where `isRefused` says that the provider refused it.
   */
  ask<Answer>(
    ask: (values: Readonly<Record<string, string>>) => Promise<Answer>,
    isRefused: (answer: Answer) => boolean,
  ): Promise<Answer>;
  /** The integration and the version of it from which the client is. */
  readonly integration: { readonly id: string; readonly version: number };
  /** Whose token requests of the integration's own client are. */
  tokenTarget(): Target;
  /** The same calls with another access token, which is never refreshed. */
  withAccessToken(accessToken: string): OwnCalls;
  /** Gets what is at an address that the provider gave, wherever it is, without a credential. Rejects with OutboundError. */
  fetchFile(url: string, limits: RequestLimits): Promise<OutboundResponse>;
  /** The request as it would go out, with stand-ins (`<accessToken>`) for every secret. */
  show(request: ApiRequest): OutboundRequest;
};

/** Calls to the API of a connection's provider. */
export type OwnCalls = Pick<ConnectionClient, 'call' | 'follow'>;

export type OpenConnection = (owner: {
  readonly connectionId: string;
  readonly projectId: string;
}) => Promise<ConnectionClient>;

/**
 * Opens connections for the gateway's own calls to providers, beside those of the proxy. Opening throws
 * `connection_not_found`, `reauthorization_required`, `integration_misconfigured` and other refusals of a refresh.
 */
export function createOpenConnection(deps: {
  outbound: Outbound;
  client: Pick<IntegrationClient, 'findTarget' | 'clientOf'>;
  readCredentials(connectionId: string, projectId: string): Promise<CredentialState | undefined>;
  accessTokens: Pick<AccessTokens, 'refresh' | 'refreshAfter401'>;
  /** Hears of credentials that the provider refuses and that cannot be renewed. */
  refusedCalls?: Pick<RefusedCalls, 'note'>;
  now(): number;
}): OpenConnection {
  return async ({ connectionId, projectId }) => {
    const state = await deps.readCredentials(connectionId, projectId);
    const target = state && (await deps.client.findTarget({ integrationId: state.integrationId, projectId }));
    if (state === undefined || target === undefined) throw new HttpError('connection_not_found');
    if (state.status !== 'active') throw refusalOf({ ok: false, code: 'reauthorization_required' });
    const client = await deps.client.clientOf(target.integration);
    const integrationValues = templateValues({
      integration: target.integration.variables,
      integrationSecrets: client.secretVariables,
      gateway: clientValues(target.provider, client.clientId, client.clientSecrets[0]),
    });
    const warm = prepareConnection(
      target.provider,
      projectId,
      integrationValues,
      { ...state, endUserId: '' },
      { spread: 0, nowMs: deps.now() },
    );
    const variables = templateValues({
      integration: target.integration.variables,
      connection: state.variables,
    });
    const integration = { id: state.integrationId, version: state.integrationVersion };
    const known = templateValues({
      integration: integrationValues,
      connection: state.variables,
      credentials: state.credentials.values,
    });
    const ofCertificate = pick(known, certificateVariables(target.provider, 'api'));
    return new CallingConnection(deps, warm, { variables, client, integration, ofCertificate });
  };
}

type Dependencies = Parameters<typeof createOpenConnection>[0];

class CallingConnection implements ConnectionClient {
  readonly provider: Provider;
  readonly variables: Readonly<Record<string, string>>;
  readonly integration: ConnectionClient['integration'];
  readonly #deps: Dependencies;
  readonly #warm: WarmConnection;
  readonly #client: OAuthClient;
  /** What the certificate is made of, for calls that templates outside of the API describe. */
  readonly #ofCertificate: Readonly<Record<string, string>>;

  constructor(
    deps: Dependencies,
    warm: WarmConnection,
    {
      variables,
      client,
      integration,
      ofCertificate,
    }: Pick<ConnectionClient, 'variables' | 'integration'> & {
      readonly client: OAuthClient;
      readonly ofCertificate: Readonly<Record<string, string>>;
    },
  ) {
    this.provider = warm.provider;
    this.variables = variables;
    this.integration = integration;
    this.#deps = deps;
    this.#warm = warm;
    this.#client = client;
    this.#ofCertificate = ofCertificate;
  }

  get apiOrigin(): string {
    return this.#warm.resolved.apiBase.origin;
  }

  secrets(): readonly string[] {
    const { clientSecrets, secretVariables = {} } = this.#client;
    const known = new Set(Object.values(this.variables));
    const values = [...Object.values(this.#warm.credential.values), ...Object.values(secretVariables)];
    return [...values.filter((value) => !known.has(value)), ...clientSecrets];
  }

  async call(request: ApiRequest, limits: RequestLimits): Promise<OutboundResponse> {
    await this.#refreshWhereDue();
    return this.#send(request, limits, this.#warm.resolved.apiBase.basePath);
  }

  follow(link: string, request: ApiRequest, limits: RequestLimits): Promise<OutboundResponse> | undefined {
    const next = this.#nextRequest(link, request);
    return next && this.#refreshWhereDue().then(() => this.#send(next, limits, ''));
  }

  tokenTarget(): Target {
    return { provider: this.provider, client: this.#client, variables: this.variables };
  }

  withAccessToken(accessToken: string): OwnCalls {
    const { resolved, credential } = this.#warm;
    const other = {
      version: credential.version,
      values: templateValues({ connection: credential.values, credentials: { accessToken } }),
    };
    const send = (request: ApiRequest, limits: RequestLimits, basePath: string) =>
      this.#deps.outbound.request({ ...this.#messageOf(request, basePath, other), ...limits });
    return {
      call: (request, limits) => send(request, limits, resolved.apiBase.basePath),
      follow: (link, request, limits) => {
        const next = this.#nextRequest(link, request);
        return next && send(next, limits, '');
      },
    };
  }

  fetchFile(url: string, limits: RequestLimits): Promise<OutboundResponse> {
    return this.#deps.outbound.request({ url, headers: { Accept: 'application/json' }, ...limits });
  }

  /** Undefined where the link leads to another origin than the API's. */
  #nextRequest(link: string, request: ApiRequest): ApiRequest | undefined {
    const url = URL.parse(link, `${this.apiOrigin}${request.path}`);
    if (url === null || url.origin !== this.apiOrigin || url.username !== '' || url.password !== '')
      return undefined;
    return { ...request, path: url.pathname, query: url.search };
  }

  async ask<Answer>(
    ask: (values: Readonly<Record<string, string>>) => Promise<Answer>,
    isRefused: (answer: Answer) => boolean,
  ): Promise<Answer> {
    await this.#refreshWhereDue();
    const used = this.#warm.credential;
    const answer = await ask(templateValues({ connection: used.values, gateway: this.#ofCertificate }));
    if (!isRefused(answer) || !(await this.#refreshAfter401(used))) return answer;
    const { values } = this.#warm.credential;
    return ask(templateValues({ connection: values, gateway: this.#ofCertificate }));
  }

  show(request: ApiRequest): OutboundRequest {
    const { resolved, credential, provider } = this.#warm;
    const standIns = createStandIns();
    const known = new Set(Object.keys(this.variables));
    const values = Object.fromEntries(
      Object.entries(credential.values).map(([name, value]) => [
        name,
        known.has(name) ? value : standIns.of(name),
      ]),
    );
    const fields = apiFieldsOf(provider, values);
    const {
      url,
      headers = {},
      ...rest
    } = buildApiMessage(request, { ...resolved, ...fields }, { version: 0, values });
    const shown = Object.entries(headers).map(([name, value]) => [name, standIns.reveal(value)]);
    return { ...rest, url: standIns.reveal(url), headers: Object.fromEntries(shown) };
  }

  async #send(request: ApiRequest, limits: RequestLimits, basePath: string): Promise<OutboundResponse> {
    const used = this.#warm.credential;
    const answer = await this.#deps.outbound.request({ ...this.#messageOf(request, basePath), ...limits });
    if (!isCallRefused(this.provider, answer) || !(await this.#refreshAfter401(used))) return answer;
    return this.#deps.outbound.request({ ...this.#messageOf(request, basePath), ...limits });
  }

  #messageOf(
    request: ApiRequest,
    basePath: string,
    credential: Credential = this.#warm.credential,
  ): OutboundRequest {
    const { resolved } = this.#warm;
    const message = buildApiMessage(
      request,
      { ...resolved, apiBase: { ...resolved.apiBase, basePath } },
      credential,
    );
    const { clientCertificate, signer } = resolved;
    const certified = { ...message, ...(clientCertificate && { clientCertificate }) };
    return signMessage(signer, certified, { values: credential.values, nowMs: this.#deps.now() });
  }

  async #refreshWhereDue(): Promise<void> {
    const warm = this.#warm;
    const now = this.#deps.now();
    if (warm.refreshMethod === undefined || now < warm.refreshFromMs) return;
    const result = await this.#deps.accessTokens.refresh(refreshTarget(this.#warm));
    if (result.ok) this.#adopt(result.state);
    else if (result.code === 'reauthorization_required' || now >= warm.expiresAtMs - LIFE_MS_MIN)
      throw refusalOf(result);
  }

  async #refreshAfter401(used: Credential): Promise<boolean> {
    const { refreshMethod, credential } = this.#warm;
    if (!isRenewable(refreshMethod)) {
      const { connectionId, projectId } = this.#warm.resolved;
      this.#deps.refusedCalls?.note({ connectionId, projectId, version: used.version }, this.provider);
      return false;
    }
    if (credential.version !== used.version) return true;
    const isByClient = refreshMethod !== 'refresh-token';
    const result = await this.#deps.accessTokens.refreshAfter401(refreshTarget(this.#warm), { isByClient });
    if (result === null) return false;
    if (!result.ok) throw refusalOf(result);
    this.#adopt(result.state);
    return true;
  }

  #adopt(state: CredentialState): void {
    const warm = this.#warm;
    const told = templateValues({
      integration: warm.integrationValues,
      connection: state.variables,
      credentials: state.credentials.values,
    });
    const values = callValuesOf(warm.provider, told);
    Object.assign(warm.resolved, apiFieldsOf(warm.provider, values));
    warm.credential = { version: state.version, values };
    const livesMs = state.expiresInMs ?? Number.POSITIVE_INFINITY;
    warm.expiresAtMs = this.#deps.now() + livesMs;
    warm.refreshFromMs = warm.expiresAtMs - Math.min(LIFE_MS_MIN * 4, livesMs / 2);
  }
}

function pick(values: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

function refusalOf({ code, retryAfterSeconds }: RefreshRefusal): HttpError {
  return new HttpError(code, {
    ...(retryAfterSeconds !== undefined && { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  });
}
