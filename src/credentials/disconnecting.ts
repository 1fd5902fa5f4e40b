import type { RecordActivity } from '../activity/record.ts';
import type { Provider } from '../catalog/provider.schema.ts';
import type { Connection, Grant } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import type { Integration } from '../integrations/integrations.store.ts';
import { prepareRevocation } from '../oauth/token-endpoint.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { Db } from '../platform/postgres/database.ts';
import { VaultError } from '../platform/vault.ts';
import type { IntegrationClient, IntegrationTarget } from './integration-client.ts';
import type { RevocationsStore } from './revocations.store.ts';

const PAGE_SIZE = 100;

type RevocableGrant = Pick<Grant, 'credentials' | 'variables'>;
type Owner = { readonly projectId: string; readonly integrationId: string };
/** `endUserId` is left out where the grant has no end user any more. */
type GrantOwner = Owner & { readonly connectionId: string | null; readonly endUserId?: string };

/**
 * Erases connections and pending grants, and leaves their revocation at the provider to the background: what is erased
 * and what is to be revoked commit together.
 */
export function createDisconnecting(deps: {
  db: Db;
  client: IntegrationClient;
  connections: ConnectionsStore;
  revocations: RevocationsStore;
  listIntegrations(filter: {
    projectIds: readonly string[];
    beforeId: string | undefined;
    limit: number;
  }): Promise<Integration[]>;
  /** Takes pending grants out of their sessions: of one connection, or all of an integration. */
  takePendingGrants(trx: Db, owner: Owner & { connectionId?: string }): Promise<Grant[]>;
  recordActivity: RecordActivity;
  /** Called after a commit that left something to revoke. */
  revokeSoon(): void;
  log: { warn(fields: object, message: string): void };
}) {
  const { db, connections, log } = deps;

  /** What revocations of one integration have in common; undefined where nothing can be revoked. */
  async function findRevoker(
    owner: Owner,
  ): Promise<{ target: IntegrationTarget; client: OAuthClient } | undefined> {
    const target = await deps.client.findTarget(owner);
    if (target === undefined || !endsGrants(target.provider)) return undefined;
    return { target, client: await readableClient(target.integration) };
  }

  async function readableClient(integration: Integration): Promise<OAuthClient> {
    try {
      return await deps.client.clientOf(integration);
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      log.warn(
        { integrationId: integration.id },
        'client secret cannot be unsealed: its grants stay unrevoked',
      );
      return { clientId: integration.clientId ?? '', clientSecrets: [] };
    }
  }

  type Revoker = Awaited<ReturnType<typeof findRevoker>>;

  /**
   * True where the user has another connection on the integration that may stand on the same consent: some providers end
   * all of a consent with one of its tokens. Where the tenant is the account, nothing tells two consents apart.
   */
  async function isShared(trx: Db, { tenants, account }: Provider, owner: GrantOwner): Promise<boolean> {
    const { projectId, integrationId, endUserId } = owner;
    if (tenants === undefined || account !== undefined || endUserId === undefined) return false;
    const others = await connections.list(trx, {
      projectIds: [projectId],
      endUserIds: [endUserId],
      integrationId,
      limit: 1,
    });
    return others.length > 0;
  }

  /** Puts a grant among those that are to be revoked, where its provider takes tokens back. */
  async function enqueue(
    trx: Db,
    revoker: Revoker,
    owner: GrantOwner,
    { credentials, variables }: RevocableGrant,
  ): Promise<void> {
    if (revoker === undefined || (await isShared(trx, revoker.target.provider, owner))) return;
    const { target, client } = revoker;
    const request = prepareRevocation({
      provider: target.provider,
      client,
      ...deps.client.addressOf(target, variables, credentials),
      accessToken: credentials.values.accessToken ?? null,
      refreshToken: credentials.refreshToken,
    });
    if (request === undefined || request.messages.length === 0) return;
    const { projectId, integrationId, connectionId } = owner;
    const grant = { projectId, integrationId, connectionId, serviceProvider: target.provider.id };
    await deps.revocations.insert(trx, grant, request);
  }

  async function erase(trx: Db, connection: Connection, revoker: Revoker, actor: Principal): Promise<void> {
    const { id, projectId, integrationId, endUserId } = connection;
    const owner = { projectId, integrationId, connectionId: id, endUserId };
    const pending = await deps.takePendingGrants(trx, owner);
    const credentials = await connections.remove(trx, id, projectId);
    if (credentials === undefined) throw new HttpError('connection_not_found');
    if (credentials === null)
      log.warn({ connectionId: id }, 'credentials cannot be unsealed: erased unrevoked');
    await deps.recordActivity(trx, {
      projectId,
      actor,
      action: 'connection.deleted',
      subjectId: id,
      details: {
        integrationId,
        integrationUserId: connection.endUserId,
        ...(credentials === null && { unrevoked: 'credentials_unreadable' }),
      },
    });
    if (credentials !== null) {
      await enqueue(trx, revoker, owner, { credentials, variables: connection.variables });
    }
    for (const grant of pending) await enqueue(trx, revoker, owner, grant);
  }

  /**
   * Erases a connection with the grant that it holds at that very moment (a refresh under way finds its row gone and
   * revokes what it got), and those that a re-authorization brought and its user has not completed.
   */
  async function disconnect(connection: Connection, actor: Principal): Promise<void> {
    const revoker = await findRevoker(connection);
    await db.transaction((trx) => erase(trx, connection, revoker, actor));
    deps.revokeSoon();
  }

  /** Erases all connections that `filter` names, a page at a time. */
  async function disconnectAll(
    filter: { readonly projectId: string; readonly integrationId?: string },
    actor: Principal,
  ): Promise<void> {
    const { projectId, integrationId } = filter;
    const revokers = new Map<string, Revoker>();
    for (;;) {
      const page = await connections.list(db, { projectIds: [projectId], integrationId, limit: PAGE_SIZE });
      if (page.length === 0) return;
      for (const connection of page) {
        if (!revokers.has(connection.integrationId)) {
          revokers.set(connection.integrationId, await findRevoker(connection));
        }
      }
      await db.transaction(async (trx) => {
        for (const connection of page) {
          await erase(trx, connection, revokers.get(connection.integrationId), actor).catch(ignoreGone);
        }
      });
      deps.revokeSoon();
    }
  }

  /** Revokes what an integration's users have authorized and not completed. */
  async function revokePending({ id: integrationId, projectId }: Integration): Promise<void> {
    const owner = { projectId, integrationId };
    const revoker = await findRevoker(owner);
    await db.transaction(async (trx) => {
      for (const grant of await deps.takePendingGrants(trx, owner)) {
        await enqueue(trx, revoker, { ...owner, connectionId: null }, grant);
      }
    });
    deps.revokeSoon();
  }

  /** Erases every grant of a project, those that wait for their users included. */
  async function eraseProject(projectId: string, actor: Principal): Promise<void> {
    await disconnectAll({ projectId }, actor);
    let beforeId: string | undefined;
    for (;;) {
      const page = await deps.listIntegrations({ projectIds: [projectId], beforeId, limit: PAGE_SIZE });
      for (const integration of page) await revokePending(integration);
      beforeId = page.at(-1)?.id;
      if (beforeId === undefined) return;
    }
  }

  /** Revokes tokens that no connection holds: of a grant that was refused, abandoned or overtaken. */
  async function revokeGrant(
    owner: Omit<GrantOwner, 'connectionId'> & { readonly connectionId?: string | null },
    grant: RevocableGrant,
    trx: Db = db,
  ): Promise<void> {
    const revoker = await findRevoker(owner);
    await enqueue(trx, revoker, { ...owner, connectionId: owner.connectionId ?? null }, grant);
    deps.revokeSoon();
  }

  return { disconnect, disconnectAll, revokePending, eraseProject, revokeGrant };
}

/** True where a connection that is deleted may end something at the provider: a grant, or a session. */
function endsGrants({ auth, logout }: Provider): boolean {
  return auth === 'oauth2' || logout !== undefined;
}

/** Another request deleted the connection since its page was read. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof HttpError) || error.code !== 'connection_not_found') throw error;
}
