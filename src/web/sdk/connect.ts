import { type Agents, createAgents } from './agents.ts';
import { createApi } from './api.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { createConnecting } from './connecting.ts';
import { ConnectError, type ConnectErrorCode, GatewayError } from './errors.ts';
import { type ExchangedToken, type ExchangeOptions, exchangeToken } from './exchange.ts';
import type {
  ConnectionFilter,
  ConnectOptions,
  Gateway,
  GatewayOptions,
  ProviderRequestInit,
} from './gateway.ts';
import { createIntegrationList } from './integrations-list.ts';
import { createProviderFetch } from './provider-fetch.ts';
import { createTabs, type GatewayEvent } from './tabs.ts';
import { createTokens, type TokenSource } from './tokens.ts';
import type {
  AgentConsent,
  Approval,
  Connection,
  ConnectionPage,
  Integration,
  MandateEntry,
} from './wire.ts';

export type {
  AgentConsent,
  Agents,
  Approval,
  Approvals,
  ConnectErrorCode,
  Connection,
  ConnectionFilter,
  ConnectOptions,
  ExchangedToken,
  ExchangeOptions,
  Gateway,
  GatewayEvent,
  GatewayOptions,
  Integration,
  MandateEntry,
  ProviderRequestInit,
  TokenSource,
};
export { ConnectError, GatewayError };

/** The gateway as the signed-in user's browser reaches it. Nothing is stored: the token stays in memory. */
export function createGateway({ url, proxyUrl, projectId, token, returnUrl: home }: GatewayOptions): Gateway {
  const base = stripSlash(url);
  const api = createApi({ url: base, projectId, tokens: createTokens(token) });
  const tabs = createTabs(projectId);
  const { authorize, returned } = createConnecting({ api, tabs, home });
  const proxy = proxyUrl === undefined ? undefined : stripSlash(proxyUrl);

  return {
    connect: (provider, options = {}) => authorize({ provider }, options),
    reauthorize: (connectionId, options = {}) => authorize({ connectionId }, options),
    async disconnect(connectionId) {
      await api.call('DELETE', `connections/${encodeURIComponent(connectionId)}`);
      tabs.announce({ type: 'connection.deleted', connectionId });
    },
    integrations: createIntegrationList(api),
    connections: (filter = {}) => api.list('connections', filter, (page: ConnectionPage) => page.connections),
    fetch: createProviderFetch({ api, base, proxyUrl: proxy, projectId }),
    approvals: () => createApprovals(api),
    agents: () => createAgents(api),
    exchange: (options = {}) => exchangeToken(api, options),
    subscribe: (listener) =>
      tabs.listen((message) => {
        if ('connectionId' in message && message.type !== 'returned') listener(message);
      }),
    completeRedirect: () => returned,
  };
}

function stripSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address;
}
