import type { RecordActivity } from '../../activity/record.ts';
import type { Integration } from '../../integrations/integration.ts';
import type { IntegrationsStore } from '../../integrations/integrations.store.ts';
import { applyDiscovery, type DiscoveredServer } from '../../oauth/discovered-server.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { IntegrationClient, IntegrationTarget } from '../client/integration-client.ts';
import { createNoteRefusal, type ServerFault } from './refusals.ts';
import { createServerClients, type NewCredentials } from './server-clients.ts';
import { createServerDiscovery } from './server-discovery.ts';

export type Prepared =
  | { readonly ok: true; readonly target: IntegrationTarget }
  | { readonly ok: false; readonly fault: ServerFault };

export type AuthorizationServers = ReturnType<typeof createAuthorizationServers>;

type AuthorizationServersDependencies = Parameters<typeof createServerDiscovery>[0] &
  Parameters<typeof createServerClients>[0] & {
    db: Db;
    integrations: IntegrationsStore;
    client: Pick<IntegrationClient, 'readTarget'>;
    recordActivity: RecordActivity;
    log: { info(fields: object, message: string): void };
  };

/**
 * Finds the authorization servers of MCP servers, and gives integrations their clients there. Both are kept with the
 * integration. Every other provider passes as it is.
 */
export function createAuthorizationServers(deps: AuthorizationServersDependencies) {
  const { db, integrations, log } = deps;
  const underWay = new Map<string, Promise<Prepared>>();
  const findServer = createServerDiscovery(deps);
  const clients = createServerClients(deps);

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
      const found = await findServer(target, 'authorize');
      if (!found.ok) return found;
      const client = await clients.findClient(target, found.server);
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
    const found = await findServer(target, 'refresh');
    if (!found.ok || !found.isNew) return applyDiscovery(provider, integration);
    const known = integration.authorizationServer;
    const client = known?.client ?? (await clients.findOperatorsClient(target, found.server));
    if (client === null || (known !== null && known.issuer !== found.server.issuer)) {
      return applyDiscovery(provider, integration);
    }
    const kept = await integrations.setAuthorizationServer(db, integration, { ...found.server, client });
    return applyDiscovery(provider, kept ?? integration);
  }

  /** Undefined where another request changed the integration first. */
  async function keep(
    integration: Integration,
    server: DiscoveredServer,
    credentials: NewCredentials | undefined,
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
    clients.noteProved(id);
    const { issuer, client } = server;
    log.info(
      { integrationId: id, issuer, by: client?.by },
      'an authorization server has a client of the gateway',
    );
    return kept;
  }

  return {
    prepareAuthorization,
    prepareRefresh,
    noteRefusal: createNoteRefusal(deps),
    describe: clients.describe,
  };
}
