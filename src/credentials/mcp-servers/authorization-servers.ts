import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RecordActivity } from '../../activity/record.ts';
import { resolveUrl } from '../../catalog/facts/resolve-url.ts';
import { buildRedirectUrl } from '../../integrations/integration-wire.ts';
import type { Integration, IntegrationsStore } from '../../integrations/integrations.store.ts';
import {
  type ClientDescription,
  preferredAuthMethod,
  readRegistration,
  registrationRequest,
} from '../../oauth/client-registration.ts';
import { type DiscoveryFault, discoverServer, type FoundServer } from '../../oauth/discover.ts';
import {
  applyDiscovery,
  type DiscoveredClient,
  type DiscoveredServer,
} from '../../oauth/discovered-server.ts';
import type { TokenEndpoint } from '../../oauth/token-endpoint.ts';
import { type Outbound, OutboundError } from '../../platform/outbound.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { IntegrationClient, IntegrationTarget } from '../client/integration-client.ts';

/** How old a discovery may be when a user is sent to the server, and when a token is refreshed. */
const FRESH_MS = { authorize: 10 * 60_000, refresh: 24 * 60 * 60_000 } as const;
/** How long an old one serves while the servers do not answer. */
const USABLE_MS = 30 * 24 * 60 * 60_000;
/** After a failed discovery for a refresh, the next refreshes go on with what is known. */
const RETRY_MS = 10 * 60_000;
/** How long a registered client counts as known without a proof. */
const PROVED_MS = 60 * 60_000;
/** A client whose secret is about to expire is not given to a new authorization. */
const EXPIRY_MARGIN_MS = 24 * 60 * 60_000;
const REGISTRATION_MS = 8_000;
const INTEGRATIONS_MAX = 10_000;

export type ServerFault =
  | DiscoveryFault
  | 'address_unknown'
  | 'client_missing'
  | 'authorization_server_changed'
  | 'registration_unsupported'
  | 'registration_refused';

export type Prepared =
  | { readonly ok: true; readonly target: IntegrationTarget }
  | { readonly ok: false; readonly fault: ServerFault };

export type AuthorizationServers = ReturnType<typeof createAuthorizationServers>;

/** The address of an integration's client id metadata document. */
export function documentUrlOf(publicUrl: string, integrationId: string): string {
  return `${publicUrl}/oauth/clients/${integrationId}`;
}

/**
 * Finds the authorization servers of MCP servers, and gives integrations their clients there: by a metadata document
 * where the server takes those, else by registration (RFC 7591), else the operator's own. Both are kept with the
 * integration. Every other provider passes as it is.
 */
export function createAuthorizationServers(deps: {
  db: Db;
  integrations: IntegrationsStore;
  client: Pick<IntegrationClient, 'clientOf' | 'readTarget'>;
  outbound: Outbound;
  tokenEndpoint: Pick<TokenEndpoint, 'exchangeCode'>;
  /** The name that users know the application by. */
  findName(projectId: string): Promise<string | undefined>;
  recordActivity: RecordActivity;
  publicUrl: string;
  /** Lets servers be reached over http. */
  allowHttp: boolean;
  now(): number;
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
}) {
  const { db, integrations, now, log, publicUrl } = deps;
  const underWay = new Map<string, Promise<Prepared>>();
  const provedAtMs = new LRUCache<string, number>({ max: INTEGRATIONS_MAX });
  const failedAtMs = new LRUCache<string, number>({ max: INTEGRATIONS_MAX });

  /** A target whose endpoints and client are good to send a user to. Those who ask together share one discovery. */
  function prepareAuthorization(target: IntegrationTarget): Promise<Prepared> {
    if (target.provider.mcp === undefined) return Promise.resolve({ ok: true, target });
    const { id } = target.integration;
    const running = underWay.get(id);
    if (running !== undefined) return running;
    const started = prepare(target).finally(() => underWay.delete(id));
    underWay.set(id, started);
    return started;
  }

  async function prepare({
    integration: { id: integrationId, projectId },
  }: IntegrationTarget): Promise<Prepared> {
    // Another process may change the integration meanwhile: what it made is looked at, and taken if it will do.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const target = await deps.client.readTarget({ integrationId, projectId });
      if (target === undefined) return { ok: false, fault: 'address_unknown' };
      const { provider, integration } = target;
      const found = await currentServer(target, 'authorize');
      if (!found.ok) return found;
      const client = await clientFor(target, found.server);
      if (!client.ok) return client;
      const server = { ...found.server, client: client.client };
      const isKept =
        server === integration.authorizationServer || (!found.isNew && client.credentials === undefined);
      const kept = isKept ? integration : await keep(integration, server, client.credentials);
      if (kept === undefined) continue;
      return { ok: true, target: applyDiscovery(provider, kept) };
    }
    return { ok: false, fault: 'unreachable' };
  }

  /**
   * The target of a refresh. Endpoints of the same authorization server are brought up to date once a day; a grant never
   * moves to another server.
   */
  async function prepareRefresh(target: IntegrationTarget): Promise<IntegrationTarget> {
    const { provider, integration } = target;
    if (provider.mcp === undefined) return target;
    const found = await currentServer(target, 'refresh');
    if (!found.ok || !found.isNew) return applyDiscovery(provider, integration);
    const known = integration.authorizationServer;
    const client = known?.client ?? (await operatorsClient(target, found.server));
    if (client === null || (known !== null && known.issuer !== found.server.issuer)) {
      return applyDiscovery(provider, integration);
    }
    const kept = await integrations.setAuthorizationServer(db, integration, { ...found.server, client });
    return applyDiscovery(provider, kept ?? integration);
  }

  /** What is known of the server while it is fresh, else what the servers say now. */
  async function currentServer(
    { provider, integration }: IntegrationTarget,
    use: keyof typeof FRESH_MS,
  ): Promise<
    | { readonly ok: true; readonly server: DiscoveredServer; readonly isNew: boolean }
    | { readonly ok: false; readonly fault: ServerFault }
  > {
    const mcp = provider.mcp;
    const filled = (template: string) => resolveUrl(template, provider, integration.variables);
    const address = mcp && filled(mcp.url);
    if (!address?.ok) return { ok: false, fault: 'address_unknown' };
    const stored = integration.authorizationServer;
    const known = stored?.mcpUrl === address.url ? stored : null;
    const ageMs = known === null ? Number.POSITIVE_INFINITY : now() - Date.parse(known.discoveredAt);
    if (known !== null && ageMs < FRESH_MS[use]) return { ok: true, server: known, isNew: false };
    const failedAgo = now() - (failedAtMs.get(integration.id) ?? 0);
    if (known !== null && use === 'refresh' && failedAgo < RETRY_MS)
      return { ok: true, server: known, isNew: false };
    const stated = {
      authorizationUrl: textOf(provider.authorizationUrl, filled),
      tokenUrl: textOf(provider.tokenUrl, filled),
      registrationUrl: textOf(mcp?.registrationUrl, filled),
    };
    const { outbound, allowHttp } = deps;
    const found = await discoverServer({ outbound, allowHttp }, address.url, stated);
    if (!found.ok) {
      failedAtMs.set(integration.id, now());
      const { fault } = found;
      log.warn(
        { integrationId: integration.id, fault },
        'the authorization server of an MCP server was not found',
      );
      if (known !== null && ageMs < USABLE_MS) return { ok: true, server: known, isNew: false };
      return { ok: false, fault };
    }
    failedAtMs.delete(integration.id);
    return judgeFound(integration, found.server);
  }

  /** A client belongs to one authorization server: an operator's own is never shown to another. */
  function judgeFound(integration: Integration, server: FoundServer) {
    const before = integration.authorizationServer;
    const isSame = before?.issuer === server.issuer;
    if (before?.client?.by === 'operator' && !isSame) {
      return { ok: false, fault: 'authorization_server_changed' } as const;
    }
    const discoveredAt = new Date(now()).toISOString();
    const client = isSame ? before.client : null;
    return { ok: true, server: { ...server, discoveredAt, client }, isNew: true } as const;
  }

  type ClientResult =
    | {
        readonly ok: true;
        readonly client: DiscoveredClient;
        /** Of a client that is new. */
        readonly credentials?: { readonly clientId: string; readonly clientSecret: string | null };
      }
    | { readonly ok: false; readonly fault: ServerFault };

  async function clientFor(target: IntegrationTarget, server: DiscoveredServer): Promise<ClientResult> {
    const { provider, integration } = target;
    const operators = await operatorsClient(target, server);
    if (operators !== null) return { ok: true, client: operators };
    if (server.client !== null && (await isUsable(target, server, server.client))) {
      return { ok: true, client: server.client };
    }
    if (provider.mcp?.registration === 'operator') return { ok: false, fault: 'client_missing' };
    const registeredAt = new Date(now()).toISOString();
    if (server.takesDocuments && isReadableBy(server)) {
      const clientId = documentUrlOf(publicUrl, integration.id);
      const shared = { by: 'document', authMethod: 'none', registeredAt } as const;
      return {
        ok: true,
        client: { ...shared, expiresAt: null, refusedAt: null },
        credentials: { clientId, clientSecret: null },
      };
    }
    if (server.registrationEndpoint === null) return { ok: false, fault: 'registration_unsupported' };
    return register(integration, server, server.registrationEndpoint, registeredAt);
  }

  /** The operator's own client; null where the client id is the gateway's, or there is none. */
  async function operatorsClient(
    { integration }: IntegrationTarget,
    { authMethods }: Pick<DiscoveredServer, 'authMethods'>,
  ): Promise<DiscoveredClient | null> {
    const before = integration.authorizationServer?.client;
    if (integration.clientId === null || (before && before.by !== 'operator')) return null;
    const { clientSecrets } = await deps.client.clientOf(integration);
    const method = preferredAuthMethod(authMethods);
    return {
      by: 'operator',
      // A server that announces none of our ways takes the most common one.
      authMethod: clientSecrets.length === 0 ? 'none' : method === 'none' ? 'client_secret_post' : method,
      registeredAt: integration.createdAt.toISOString(),
      expiresAt: null,
      refusedAt: null,
    };
  }

  /** Servers read documents over https only; one in development, over http, is next to the gateway. */
  function isReadableBy({ issuer }: DiscoveredServer): boolean {
    return publicUrl.startsWith('https:') || issuer.startsWith('http:');
  }

  async function isUsable(
    target: IntegrationTarget,
    server: DiscoveredServer,
    client: DiscoveredClient,
  ): Promise<boolean> {
    if (client.by === 'document') return isReadableBy(server);
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
    if (!isForgotten) provedAtMs.set(integration.id, now());
    return !isForgotten;
  }

  async function register(
    integration: Integration,
    server: DiscoveredServer,
    url: string,
    registeredAt: string,
  ): Promise<ClientResult> {
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
      log.warn({ integrationId: integration.id, status }, 'an authorization server registered no client');
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

  /** Undefined where another request changed the integration first. */
  async function keep(
    integration: Integration,
    server: DiscoveredServer,
    credentials: Extract<ClientResult, { ok: true }>['credentials'],
  ): Promise<Integration | undefined> {
    const { id, projectId } = integration;
    if (credentials === undefined) return integrations.setAuthorizationServer(db, integration, server);
    const kept = await db.transaction(async (trx) => {
      const row = await integrations.setAuthorizationServer(trx, integration, server, credentials);
      if (row === undefined) return undefined;
      await deps.recordActivity(trx, {
        projectId,
        actor: { kind: 'gateway' },
        action: 'integration.updated',
        subjectId: id,
        details: { fields: ['clientId'] },
      });
      return row;
    });
    if (kept === undefined) return undefined;
    provedAtMs.set(id, now());
    const { issuer, client } = server;
    log.info(
      { integrationId: id, issuer, by: client?.by },
      'an authorization server has a client of the gateway',
    );
    return kept;
  }

  /**
   * After a refusal of the client: where the server itself had registered it, it has forgotten it, and the next
   * authorization registers another. True where that is so: grants of the forgotten client are dead.
   */
  async function noteRefusal(
    integrationId: string,
    projectId: string,
    failure: { readonly kind: string; readonly errorCode: string },
  ): Promise<boolean> {
    if (!isClientUnknown(failure)) return false;
    const current = await integrations.find(db, integrationId, [projectId]);
    const server = current?.authorizationServer;
    if (!current || !server?.client || server.client.by !== 'registration') return false;
    if (server.client.refusedAt === null) {
      const refusedAt = new Date(now()).toISOString();
      await integrations.setAuthorizationServer(db, current, {
        ...server,
        client: { ...server.client, refusedAt },
      });
      log.warn(
        { integrationId, issuer: server.issuer },
        'an authorization server forgot the client of the gateway',
      );
    }
    return true;
  }

  return { prepareAuthorization, prepareRefresh, noteRefusal, describe };
}

function isClientUnknown({
  kind,
  errorCode,
}: {
  readonly kind: string;
  readonly errorCode: string;
}): boolean {
  return kind === 'client' && errorCode === 'invalid_client';
}

function textOf(
  template: string | undefined,
  fill: (template: string) => ReturnType<typeof resolveUrl>,
): string | undefined {
  const filled = template === undefined ? undefined : fill(template);
  return filled?.ok ? filled.url : undefined;
}
