import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Integration } from '../../integrations/integration.ts';
import { buildRedirectUrl } from '../../integrations/integration-wire.ts';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import {
  type ClientDescription,
  preferredAuthMethod,
  readRegistration,
  registrationRequest,
} from '../../oauth/client-registration.ts';
import {
  applyDiscovery,
  type DiscoveredClient,
  type DiscoveredServer,
} from '../../oauth/discovered-server.ts';
import type { TokenEndpoint } from '../../oauth/token-endpoint.ts';
import { type Outbound, OutboundError } from '../../platform/outbound.ts';
import type { IntegrationClient, IntegrationTarget } from '../client/integration-client.ts';
import { isClientUnknown, type ServerFault } from './refusals.ts';

/** How long a registered client counts as known without a proof. */
const PROVED_MS = 60 * 60_000;
/** A client whose secret is about to expire is not given to a new authorization. */
const EXPIRY_MARGIN_MS = 24 * 60 * 60_000;
const REGISTRATION_MS = 8_000;
const INTEGRATIONS_MAX = 10_000;

export type NewCredentials = { readonly clientId: string; readonly clientSecret: string | null };

export type ServerClient =
  | {
      readonly ok: true;
      readonly client: DiscoveredClient;
      /** Of a client that is new. */
      readonly credentials?: NewCredentials;
    }
  | { readonly ok: false; readonly fault: ServerFault };

/** The address of an integration's client id metadata document. */
export function buildDocumentUrl(publicUrl: string, integrationId: string): string {
  return `${publicUrl}/oauth/clients/${integrationId}`;
}

/**
 * Gives integrations their clients at authorization servers: the operator's own, else by a metadata document where the
 * server takes those, else by registration (RFC 7591).
 */
export function createServerClients(deps: {
  client: Pick<IntegrationClient, 'clientOf'>;
  outbound: Outbound;
  tokenEndpoint: Pick<TokenEndpoint, 'exchangeCode'>;
  /** The name that users know the application by. */
  findName(projectId: string): Promise<string | undefined>;
  publicUrl: string;
  now(): number;
  log: { warn(fields: object, message: string): void };
}) {
  const { publicUrl, now } = deps;
  const provedAtMs = new LRUCache<string, number>(entriesUpTo(INTEGRATIONS_MAX));

  /** The client for an authorization; it is kept by the caller where it is new. */
  async function findClient(target: IntegrationTarget, server: DiscoveredServer): Promise<ServerClient> {
    const { provider, integration } = target;
    const operators = await findOperatorsClient(target, server);
    if (operators !== null) return { ok: true, client: operators };
    if (server.client !== null && (await isUsable(target, server, server.client))) {
      return { ok: true, client: server.client };
    }
    if (provider.mcp?.registration === 'operator') return { ok: false, fault: 'client_missing' };
    const registeredAt = new Date(now()).toISOString();
    if (server.takesDocuments && isReadableBy(server, publicUrl)) {
      const clientId = buildDocumentUrl(publicUrl, integration.id);
      return describeByDocument(clientId, registeredAt);
    }
    if (server.registrationEndpoint === null) return { ok: false, fault: 'registration_unsupported' };
    return register(integration, server, server.registrationEndpoint, registeredAt);
  }

  /** The operator's own client; null where the client id is the gateway's, or there is none. */
  async function findOperatorsClient(
    { integration }: IntegrationTarget,
    { authMethods }: Pick<DiscoveredServer, 'authMethods'>,
  ): Promise<DiscoveredClient | null> {
    const before = integration.authorizationServer?.client;
    if (integration.clientId === null || (before && before.by !== 'operator')) return null;
    const { clientSecrets } = await deps.client.clientOf(integration);
    const method = preferredAuthMethod(authMethods);
    // A server that announces none of our ways takes the most common one.
    const secretMethod = method === 'none' ? 'client_secret_post' : method;
    const authMethod = clientSecrets.length === 0 ? 'none' : secretMethod;
    const registeredAt = integration.createdAt.toISOString();
    return { by: 'operator', authMethod, registeredAt, expiresAt: null, refusedAt: null };
  }

  async function isUsable(
    target: IntegrationTarget,
    server: DiscoveredServer,
    client: DiscoveredClient,
  ): Promise<boolean> {
    if (client.by === 'document') return isReadableBy(server, publicUrl);
    if (client.refusedAt !== null) return false;
    if (client.expiresAt !== null && Date.parse(client.expiresAt) - now() < EXPIRY_MARGIN_MS) return false;
    const { id } = target.integration;
    const provedAgoMs = now() - Math.max(provedAtMs.get(id) ?? 0, Date.parse(client.registeredAt));
    if (provedAgoMs < PROVED_MS) return true;
    return isKnownClient(target, server);
  }

  /** Asks the token endpoint with a code that it never issued: who asks is judged before what is asked (RFC 6749 3.2.1). */
  async function isKnownClient({ provider, integration }: IntegrationTarget, server: DiscoveredServer) {
    const asked = applyDiscovery(provider, { ...integration, authorizationServer: server });
    const outcome = await deps.tokenEndpoint.exchangeCode({
      provider: asked.provider,
      client: await deps.client.clientOf(integration),
      variables: integration.variables,
      code: `not-a-code-${randomBytes(12).toString('hex')}`,
      redirectUri: buildRedirectUrl(publicUrl, integration),
      codeVerifier: randomBytes(32).toString('base64url'),
    });
    const isForgotten = !outcome.ok && isClientUnknown(outcome);
    if (!isForgotten) noteProved(integration.id);
    return !isForgotten;
  }

  async function register(
    integration: Integration,
    server: DiscoveredServer,
    url: string,
    registeredAt: string,
  ): Promise<ServerClient> {
    const request = registrationRequest(url, server, await describe(integration));
    try {
      const response = await deps.outbound.request({ ...request, timeoutMs: REGISTRATION_MS });
      const registered = readRegistration(response, server.authMethods);
      if (registered !== undefined) {
        const { clientId, clientSecret, authMethod, expiresAt } = registered;
        const client = { by: 'registration', authMethod, registeredAt, expiresAt, refusedAt: null } as const;
        return { ok: true, client, credentials: { clientId, clientSecret } };
      }
      const { status } = response;
      deps.log.warn(
        { integrationId: integration.id, status },
        'an authorization server registered no client',
      );
      return { ok: false, fault: status >= 500 || status === 429 ? 'unreachable' : 'registration_refused' };
    } catch (error) {
      if (error instanceof OutboundError) return { ok: false, fault: 'unreachable' };
      throw error;
    }
  }

  async function describe(integration: Integration): Promise<ClientDescription> {
    return {
      redirectUrl: buildRedirectUrl(publicUrl, integration),
      name: (await deps.findName(integration.projectId)) ?? 'Integration Gateway',
      homepage: publicUrl,
    };
  }

  /** The server has just given or accepted the integration's client. */
  function noteProved(integrationId: string): void {
    provedAtMs.set(integrationId, now());
  }

  return { findClient, findOperatorsClient, describe, noteProved };
}

/** Servers read documents over https only; one in development, over http, is next to the gateway. */
function isReadableBy({ issuer }: DiscoveredServer, publicUrl: string): boolean {
  return publicUrl.startsWith('https:') || issuer.startsWith('http:');
}

/** A client whose id is the address of the document that describes it. */
function describeByDocument(clientId: string, registeredAt: string): ServerClient {
  return {
    ok: true,
    client: { by: 'document', authMethod: 'none', registeredAt, expiresAt: null, refusedAt: null },
    credentials: { clientId, clientSecret: null },
  };
}
