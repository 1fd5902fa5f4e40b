import type { RecordActivity } from '../activity/record.ts';
import { assertIfMatch, formatEtag } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { readPage } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access, AccessMode } from '../projects/access.ts';
import { assertMayManage, listOwners } from '../projects/membership.ts';
import { operatorSubject } from '../projects/texts.schema.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { Connection } from './connection.ts';
import type { ReachTenants } from './connection-tenants.ts';
import { createConnectionUpdatesEndpoints } from './connection-updates.router.ts';
import { createConnectionWire } from './connection-wire.ts';
import {
  type ConnectionWire,
  connectionList,
  connectionParams,
  connectionSchema,
  importConnectionBody,
  ownConnectionsQuery,
  projectConnectionsQuery,
  projectParams,
} from './connections.schema.ts';
import type { ConnectionFilter, ConnectionsStore } from './connections.store.ts';
import type { PrepareImport } from './import-connection.ts';

/** Two tokens of the largest size, a password, and metadata, with room for escapes. */
const IMPORT_BODY_BYTES_MAX = 128 * 1024;

export type ConnectionsDependencies = {
  db: Db;
  providers: Providers;
  access: Access;
  connections: ConnectionsStore;
  recordActivity: RecordActivity;
  publicUrl: string;
  /** Erases the connection and revokes its grant at the provider, unless `assertVersion` throws at what it has become. */
  disconnect(
    connection: Connection,
    actor: Principal,
    assertVersion: (version: number) => void,
  ): Promise<void>;
  prepareImport: PrepareImport;
  reachTenants: ReachTenants;
  /** Claims of user tokens that the project makes tags of. */
  findTagClaims(projectId: string): Promise<readonly string[]>;
  /** Has polls of the connection begin again, in the transaction that moves it to another tenant. */
  restartPolls(trx: Db, connectionId: string): Promise<void>;
};

/** The connection rows of the management API. */
export function createConnectionsEndpoints(deps: ConnectionsDependencies): Endpoint[] {
  const shared: Shared = {
    ...deps,
    wire: createConnectionWire(deps.providers),
    find: (principal, id, mode) => findConnection(deps, principal, id, mode),
  };
  return [
    createListConnections(shared),
    createListProjectConnections(shared),
    createGetConnection(shared),
    ...createConnectionUpdatesEndpoints(shared),
    createDeleteConnection(shared),
    createImportConnection(shared),
  ];
}

type Shared = ConnectionsDependencies & {
  wire(connection: Connection): Promise<ConnectionWire>;
  find(principal: Principal, id: string, mode: AccessMode): Promise<Connection>;
};

/**
 * The connection, for its end user, for members of its organization, and for a principal that manages its project;
 * `connection_not_found` for any other.
 */
function findConnection(
  { db, access, connections }: ConnectionsDependencies,
  principal: Principal,
  id: string,
  mode: AccessMode,
): Promise<Connection> {
  const isUser = principal.kind === 'end_user';
  return access.find(principal, isUser ? 'read' : mode, 'connection_not_found', async (projectIds) => {
    const found = await connections.find(db, id, projectIds);
    if (!isUser || found === undefined) return found;
    if (!listOwners(principal).includes(found.endUserId)) return undefined;
    if (mode !== 'read') assertMayManage(principal, found);
    return found;
  });
}

async function listPage(
  { db, connections, wire }: Shared,
  filter: Omit<ConnectionFilter, 'beforeId'> & { cursor?: string | undefined },
) {
  const { cursor, limit, ...rest } = filter;
  const { items, nextCursor } = await readPage({ cursor, limit }, (window) =>
    connections.list(db, { ...rest, ...window }),
  );
  return { body: { connections: await Promise.all(items.map(wire)), nextCursor } };
}

function createListConnections(shared: Shared): Endpoint {
  return endpoint({
    operationId: 'listConnections',
    method: 'get',
    path: '/connections',
    summary: 'List the authenticated user’s connections',
    description:
      'Those of the user, and those of the organization that the token names. An operator sees the test connections made as themself. An API key has no user of its own.',
    tag: 'Connections',
    principals: ['end_user', 'operator'],
    leastRole: 'anyone',
    refusals: {
      api_key: {
        code: 'user_required',
        detail:
          'An API key has no user. List a project’s connections at /v1/projects/{projectId}/connections.',
      },
    },
    query: ownConnectionsQuery,
    success: { status: 200, schema: connectionList, description: 'Connections, newest first' },
    errors: ['user_required'],
    async handler({ principal, query }) {
      const mine =
        principal.kind === 'end_user'
          ? { projectIds: [principal.projectId], endUserIds: listOwners(principal) }
          : {
              projectIds: await shared.access.projectsOf(principal),
              subject: operatorSubject(principal.operatorId),
            };
      const { owner, tag, ...rest } = query;
      return listPage(shared, { ...rest, ...mine, ownerType: owner, tags: tag });
    },
  });
}

function createListProjectConnections(shared: Shared): Endpoint {
  return endpoint({
    operationId: 'listProjectConnections',
    method: 'get',
    path: '/projects/{projectId}/connections',
    summary: 'List a project’s connections',
    tag: 'Connections',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'connections:read',
    params: projectParams,
    query: projectConnectionsQuery,
    success: { status: 200, schema: connectionList, description: 'Connections, newest first' },
    errors: ['project_not_found'],
    async handler({ principal, params, query }) {
      await shared.access.requireProjectAccess(principal, params.projectId, 'read');
      const { integrationUserId, userId, organizationId, owner, tag, ...rest } = query;
      return listPage(shared, {
        ...rest,
        projectIds: [params.projectId],
        endUserIds: integrationUserId === undefined ? undefined : [integrationUserId],
        subject: userId,
        organization: organizationId,
        ownerType: owner,
        tags: tag,
      });
    },
  });
}

function createGetConnection(shared: Shared): Endpoint {
  return endpoint({
    operationId: 'getConnection',
    method: 'get',
    path: '/connections/{id}',
    summary: 'Read a connection',
    tag: 'Connections',
    principals: ['end_user', 'operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'connections:read',
    params: connectionParams,
    success: { status: 200, schema: connectionSchema, description: 'The connection' },
    errors: ['connection_not_found'],
    async handler({ principal, params }) {
      const found = await shared.find(principal, params.id, 'read');
      return { body: await shared.wire(found), etag: formatEtag(found.version) };
    },
  });
}

function createDeleteConnection(shared: Shared): Endpoint {
  return endpoint({
    operationId: 'deleteConnection',
    method: 'delete',
    path: '/connections/{id}',
    summary: 'Disconnect',
    description:
      'Erases the credentials and revokes the grant at the provider where it has a way to (RFC 7009).',
    tag: 'Connections',
    principals: ['end_user', 'operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'connections:write',
    params: connectionParams,
    success: { status: 204, description: 'Disconnected' },
    errors: ['connection_not_found', 'organization_role_missing', 'precondition_failed'],
    async handler({ principal, params, request }) {
      const current = await shared.find(principal, params.id, 'write');
      const assertVersion = (version: number) => assertIfMatch(request, formatEtag(version));
      assertVersion(current.version);
      await shared.disconnect(current, principal, assertVersion);
      return {};
    },
  });
}

function createImportConnection(shared: Shared): Endpoint {
  return endpoint({
    operationId: 'importConnection',
    method: 'post',
    path: '/connections',
    summary: 'Import existing credentials',
    description:
      'Brings a user’s credentials over from another system. The provider is asked whether it takes keys and passwords, where the catalog knows a request that proves them; access tokens of OAuth 2.0 are taken as they are.',
    tag: 'Connections',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'connections:import',
    body: importConnectionBody,
    requestExample: {
      integrationId: '0192f0c8-0000-7000-8000-000000000003',
      userId: 'customer-17',
      credentials: {
        accessToken: 'access-token-of-the-user',
        refreshToken: 'refresh-token-of-the-user',
        expiresAt: '2026-01-31T09:30:00.000Z',
      },
    },
    bodyBytesMax: IMPORT_BODY_BYTES_MAX,
    success: { status: 201, schema: connectionSchema, description: 'The connection' },
    errors: [
      'integration_not_found',
      'credentials_invalid',
      'variable_invalid',
      'integration_misconfigured',
      'upstream_unreachable',
    ],
    async handler({ principal, body, commitReply }) {
      const store = await shared.prepareImport(principal, body);
      const projectIds = await shared.access.projectsOf(principal);
      return commitReply(shared.db, async (trx) => {
        const id = await store(trx);
        const created = await shared.connections.find(trx, id, projectIds);
        // Another request deleted the integration after this one had read it.
        if (created === undefined) throw new HttpError('integration_not_found');
        return {
          body: await shared.wire(created),
          etag: formatEtag(created.version),
          headers: { Location: `${shared.publicUrl}/v1/connections/${id}` },
        };
      });
    },
  });
}
