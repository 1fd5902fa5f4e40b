import { splitSecretVariables } from '../../catalog/facts/resolve-url.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { Integration } from '../../integrations/integration.ts';
import { readVariablesAgain } from '../../oauth/account.ts';
import type { TokenEndpoint } from '../../oauth/token-endpoint.ts';
import type { OAuthClient } from '../../oauth/token-message.ts';
import type { TokenFailure, TokenOutcome } from '../../oauth/token-outcome.ts';
import type { IssuedTokens } from '../../oauth/token-response.ts';
import { NO_TELEMETRY, type Telemetry, traceWork } from '../../platform/telemetry.ts';
import type { IntegrationClient, IntegrationTarget } from '../client/integration-client.ts';
import type { AuthorizationServers } from '../mcp-servers/authorization-servers.ts';
import type { CredentialState } from './credential-state.store.ts';
import { mergeRefreshedCredentials } from './merge-refreshed-credentials.ts';
import type { RefreshedTokens } from './refresh.store.ts';
import type { PreparedRefresh } from './refresh-attempts.ts';
import { chooseRefreshMethod } from './refresh-method.ts';
import type { RefreshFailure, RefreshOutcome } from './refresh-result.ts';
import { LATE_ANSWER_MS } from './refresh-timing.ts';

/** Whose client asks: the integration's own, or a version of an organization's. */
type Owner = {
  readonly integrationId: string;
  readonly projectId: string;
  readonly organizationClientId?: string | null;
};

/** What token requests of one client's connections have in common. */
type Base = { readonly target: IntegrationTarget; readonly oauthClient: OAuthClient };

/**
 * Prepares token requests for the next access tokens of connections. Preparing reads the store and may throw its errors;
 * a prepared request reads nothing more before it is sent, and never throws for what a provider does.
 */
export function createRefreshRequests(deps: {
  client: IntegrationClient;
  tokenEndpoint: TokenEndpoint;
  servers: Pick<AuthorizationServers, 'prepareRefresh' | 'noteRefusal'>;
  /** Counts refreshes by provider and outcome. */
  noteRefresh(provider: string, outcome: string, projectId: string): void;
  now(): number;
  log: { warn(fields: object, message: string): void };
  /** Left out: requests have no spans. */
  telemetry?: Pick<Telemetry, 'tracing'>;
}) {
  const { client, tokenEndpoint } = deps;
  /** Readings under way: connections of one integration that expire together share them. */
  const readings = new Map<string, Promise<Base | undefined>>();

  return async function prepareRefresh(owner: Owner): Promise<PreparedRefresh> {
    const base = await readBase(owner);
    if (base === undefined) {
      const request = async () => outcomeWithoutRequest('client', 'provider_unknown');
      return { integrationVersion: undefined, request };
    }
    return {
      integrationVersion: base.target.integration.version,
      request: (state, noteSending) => requestRefresh(base, state, noteSending),
    };
  };

  function readBase(owner: Owner): Promise<Base | undefined> {
    const key = `${owner.integrationId} ${owner.organizationClientId ?? ''}`;
    const running = readings.get(key);
    if (running !== undefined) return running;
    const reading = read(owner).finally(() => readings.delete(key));
    readings.set(key, reading);
    return reading;
  }

  async function read(owner: Owner): Promise<Base | undefined> {
    const stored = await client.readTarget(owner);
    if (stored === undefined) return undefined;
    const target = await deps.servers.prepareRefresh(stored);
    return { target, oauthClient: await client.clientOf(target.integration) };
  }

  async function requestRefresh(
    base: Base,
    state: CredentialState,
    noteSending: () => void,
  ): Promise<RefreshOutcome> {
    const { provider, integration } = base.target;
    if (isRenewedTooLate(provider, state)) {
      return outcomeWithoutRequest('invalid_grant', 'access_token_expired');
    }
    const outcome = await askAsSpan(base, state, noteSending);
    deps.noteRefresh(provider.id, outcome.ok ? 'refreshed' : outcome.kind, integration.projectId);
    if (!outcome.ok && provider.mcp !== undefined && (await isForgotten(integration, outcome))) {
      return { ...failureOf(provider, state, outcome), kind: 'invalid_grant', errorCode: 'client_forgotten' };
    }
    return outcomeOf(provider, state, outcome);
  }

  function askAsSpan(base: Base, state: CredentialState, noteSending: () => void): Promise<TokenOutcome> {
    const { provider, integration } = base.target;
    const { tracing } = deps.telemetry ?? NO_TELEMETRY;
    return traceWork(tracing, 'token refresh', { kind: 'internal' }, async (span) => {
      const outcome = await ask(base, state, noteSending);
      span.set({
        'gateway.project.id': integration.projectId,
        'gateway.provider': provider.id,
        'gateway.integration.id': integration.id,
        'gateway.connection.id': state.connectionId,
        'gateway.outcome': outcome.ok ? 'refreshed' : outcome.kind,
      });
      if (!outcome.ok) span.fail(outcome.kind);
      return outcome;
    });
  }

  function ask({ target, oauthClient }: Base, state: CredentialState, noteSending: () => void) {
    const { provider, integration } = target;
    const { accessToken = '' } = state.credentials.values;
    const { refreshToken } = state.credentials;
    const address = client.addressOf(target, state.variables, state.credentials);
    const request = { provider, client: oauthClient, ...address };
    const { scopes } = integration;
    switch (chooseRefreshMethod(provider, refreshToken !== null)) {
      case 'client':
        return tokenEndpoint.clientCredentials({ ...request, scopes });
      case 'login':
        return tokenEndpoint.logIn({ ...request, scopes, refreshToken });
      case 'access-token':
        return tokenEndpoint.renew({ ...request, accessToken });
      default: {
        const listening = { lateAnswerMs: LATE_ANSWER_MS, noteSending };
        return tokenEndpoint.refresh(
          { ...request, accessToken, refreshToken: refreshToken ?? '' },
          listening,
        );
      }
    }
  }

  /** Where the store does not answer, the next attempt finds out: the provider's answer must not be lost for it. */
  async function isForgotten({ id, projectId }: Integration, failure: TokenFailure): Promise<boolean> {
    try {
      return await deps.servers.noteRefusal(id, projectId, failure);
    } catch (error) {
      deps.log.warn({ err: error, integrationId: id }, 'the refusal of a client could not be written down');
      return false;
    }
  }
}

/** An access token that renews itself has to be valid for that. */
function isRenewedTooLate(provider: Provider, { credentials, expiresInMs }: CredentialState): boolean {
  const method = chooseRefreshMethod(provider, credentials.refreshToken !== null);
  return method === 'access-token' && expiresInMs !== null && expiresInMs <= 0;
}

function outcomeOf(provider: Provider, state: CredentialState, outcome: TokenOutcome): RefreshOutcome {
  if (outcome.ok) return { ok: true, tokens: refreshedTokens(provider, state, outcome.tokens) };
  return failureOf(provider, state, outcome);
}

function failureOf(
  provider: Provider,
  state: CredentialState,
  { late, ...failure }: TokenFailure,
): RefreshFailure {
  const later = late?.then((answer) => answer && outcomeOf(provider, state, answer));
  return { ...failure, ...(later && { late: later }) };
}

/** An outcome that is clear without asking the provider. */
function outcomeWithoutRequest(kind: 'client' | 'invalid_grant', errorCode: string): RefreshOutcome {
  return { ok: false, kind, errorCode, delivery: 'not_sent' };
}

function refreshedTokens(
  provider: Provider,
  { credentials }: CredentialState,
  tokens: IssuedTokens,
): RefreshedTokens {
  const received = splitSecretVariables(provider, readVariablesAgain(provider, tokens.raw));
  return {
    credentials: mergeRefreshedCredentials(credentials, tokens, received.secret),
    expiresInSeconds: tokens.expiresInSeconds,
    grantedScopes: tokens.scopes === null ? null : [...tokens.scopes],
    variables: received.open,
    isTokenKept: tokens.refreshToken === null || tokens.refreshToken === credentials.refreshToken,
  };
}
