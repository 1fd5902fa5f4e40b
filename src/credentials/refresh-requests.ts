import type { Provider } from '../catalog/provider.schema.ts';
import { splitSecretVariables } from '../catalog/resolve-url.ts';
import { readVariablesAgain } from '../oauth/account.ts';
import type { TokenEndpoint } from '../oauth/token-endpoint.ts';
import type { TokenFailure, TokenOutcome } from '../oauth/token-outcome.ts';
import type { IssuedTokens } from '../oauth/token-response.ts';
import type { AuthorizationServers } from './authorization-servers.ts';
import type { CredentialState } from './credential-state.store.ts';
import type { IntegrationClient } from './integration-client.ts';
import { mergeRefreshedCredentials } from './merge-refreshed-credentials.ts';
import type { RefreshedTokens } from './refresh.store.ts';
import { refreshMethodOf } from './refresh-method.ts';
import type { RefreshFailure, RefreshOutcome } from './refresh-result.ts';
import type { TokenReuse } from './refresh-state.ts';
import { LATE_ANSWER_MS } from './refresh-timing.ts';

/** How often what a connection is refreshed with may be sent, by what the provider's file says. Pure. */
export function tokenReuseOf(
  provider: Pick<Provider, 'auth' | 'refreshWith' | 'refreshTokenUse' | 'refreshTokenReuseSeconds'>,
): TokenReuse {
  if (refreshMethodOf(provider, true) !== 'refresh-token' || provider.refreshTokenUse === 'many') {
    return { kind: 'many' };
  }
  const seconds = provider.refreshTokenReuseSeconds;
  return seconds > 0 ? { kind: 'within', seconds } : { kind: 'once' };
}

/** Asks token endpoints for the next access token of a connection. Never throws for what a provider does. */
export function createRefreshRequests(deps: {
  client: IntegrationClient;
  tokenEndpoint: TokenEndpoint;
  servers: Pick<AuthorizationServers, 'prepareRefresh' | 'noteRefusal'>;
  /** Counts refreshes by provider and outcome. */
  noteRefresh(provider: string, outcome: string): void;
  now(): number;
}) {
  const { client, tokenEndpoint } = deps;

  return async function requestRefresh(state: CredentialState): Promise<RefreshOutcome> {
    const stored = await client.readTarget(state);
    if (stored === undefined) return outcomeWithoutRequest('client', 'provider_unknown');
    const target = await deps.servers.prepareRefresh(stored);
    const { provider, integration } = target;
    const request = {
      provider,
      client: await client.clientOf(integration),
      ...client.addressOf(target, state.variables, state.credentials),
    };
    const { accessToken = '' } = state.credentials.values;
    const { refreshToken } = state.credentials;
    const method = refreshMethodOf(provider, refreshToken !== null);
    if (method === 'access-token' && state.expiresInMs !== null && state.expiresInMs <= 0) {
      return outcomeWithoutRequest('invalid_grant', 'access_token_expired');
    }
    const outcome = await ask();
    deps.noteRefresh(provider.id, outcome.ok ? 'refreshed' : outcome.kind);
    if (!outcome.ok && provider.mcp !== undefined) {
      const isForgotten = await deps.servers.noteRefusal(integration.id, integration.projectId, outcome);
      if (isForgotten)
        return { ...heardFailure(outcome), kind: 'invalid_grant', errorCode: 'client_forgotten' };
    }
    return heard(outcome);

    function ask(): Promise<TokenOutcome> {
      if (method === 'client') {
        return tokenEndpoint.clientCredentials({ ...request, scopes: integration.scopes });
      }
      if (method === 'login') {
        return tokenEndpoint.logIn({ ...request, scopes: integration.scopes, refreshToken });
      }
      if (method === 'access-token') return tokenEndpoint.renew({ ...request, accessToken });
      const lateAnswerMs = LATE_ANSWER_MS;
      return tokenEndpoint.refresh({ ...request, refreshToken: refreshToken ?? '' }, { lateAnswerMs });
    }

    function heard(outcome: TokenOutcome): RefreshOutcome {
      if (outcome.ok) return { ok: true, tokens: refreshedTokens(provider, state, outcome.tokens) };
      return heardFailure(outcome);
    }

    function heardFailure({ late, ...failure }: TokenFailure): RefreshFailure {
      return { ...failure, ...(late && { late: late.then((answer) => answer && heard(answer)) }) };
    }
  };
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
  const told = splitSecretVariables(provider, readVariablesAgain(provider, tokens.raw));
  return {
    credentials: mergeRefreshedCredentials(credentials, tokens, told.secret),
    expiresInSeconds: tokens.expiresInSeconds,
    grantedScopes: tokens.scopes === null ? null : [...tokens.scopes],
    variables: told.open,
    isTokenKept: tokens.refreshToken === null || tokens.refreshToken === credentials.refreshToken,
  };
}
