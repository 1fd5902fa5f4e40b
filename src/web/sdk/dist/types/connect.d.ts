import { type Agents } from './agents.js';
import { type Approvals } from './approvals.js';
import { ConnectError, type ConnectErrorCode, GatewayError } from './errors.js';
import { type ExchangedToken, type ExchangeOptions } from './exchange.js';
import type { ConnectionFilter, ConnectOptions, Gateway, GatewayOptions, ProviderRequestInit } from './gateway.js';
import { type GatewayEvent } from './tabs.js';
import { type TokenSource } from './tokens.js';
import type { AgentConsent, Approval, Connection, Integration, MandateEntry } from './wire.js';
export type { AgentConsent, Agents, Approval, Approvals, ConnectErrorCode, Connection, ConnectionFilter, ConnectOptions, ExchangedToken, ExchangeOptions, Gateway, GatewayEvent, GatewayOptions, Integration, MandateEntry, ProviderRequestInit, TokenSource, };
export { ConnectError, GatewayError };
/** The gateway as the signed-in user's browser reaches it. Nothing is stored: the token stays in memory. */
export declare function createGateway({ url, proxyUrl, projectId, token, returnUrl: home }: GatewayOptions): Gateway;
