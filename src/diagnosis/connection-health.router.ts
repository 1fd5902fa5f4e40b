import type { ConnectionsStore } from '../connections/connections.store.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Principal } from '../http/principal.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access, AccessMode } from '../projects/access.ts';
import type { ConnectionHealth } from './connection-health.ts';
import type { TestConnection } from './connection-test.ts';
import { connectionHealthSchema, connectionTestSchema, idParams } from './diagnosis.schema.ts';

/** What is wrong with one connection. */
export function createConnectionHealthEndpoints(deps: {
  db: Db;
  access: Access;
  connections: ConnectionsStore;
  health: ConnectionHealth;
  testConnection: TestConnection;
}): Endpoint[] {
  const { db, access, connections } = deps;

  const find = (principal: Principal, id: string, mode: AccessMode) =>
    access.find(principal, mode, 'connection_not_found', (projectIds) =>
      connections.find(db, id, projectIds),
    );

  const health = endpoint({
    operationId: 'showConnectionHealth',
    method: 'get',
    path: '/connections/{id}/health',
    summary: 'Health of a connection',
    description:
      'Expiry, the last answer to a refresh, scopes, and the findings that follow. Nothing is asked.',
    tag: 'Diagnosis',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'connections:read',
    params: idParams,
    success: { status: 200, schema: connectionHealthSchema, description: 'The health' },
    errors: ['connection_not_found'],
    async handler({ principal, params }) {
      return { body: await deps.health(await find(principal, params.id, 'read')) };
    },
  });

  const test = endpoint({
    operationId: 'testConnection',
    method: 'post',
    path: '/connections/{id}/test',
    summary: 'Test a connection',
    description:
      'Asks the provider whether it accepts the credential: by the catalog’s account call, or else by refreshing the access token.',
    tag: 'Diagnosis',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'connections:write',
    params: idParams,
    changesNothing: true,
    success: { status: 200, schema: connectionTestSchema, description: 'What came of it' },
    errors: ['connection_not_found', 'rate_limited'],
    async handler({ principal, params }) {
      const found = await find(principal, params.id, 'write');
      return { body: await deps.testConnection(found) };
    },
  });

  return [health, test];
}
