import type { Connection } from '../../connections/connection.ts';
import type { ConnectionsStore } from '../../connections/connections.store.ts';
import type { Integration } from '../../integrations/integration.ts';
import type { Kit } from '../../platform/kit.ts';

const LOOKED_AT_MAX = 20;

/**
 * Chooses the connection that a poll is tried with: the given one where it is the integration's, else the newest active
 * one.
 */
export function createChooseConnection({
  db,
  connections,
}: Pick<Kit, 'db'> & { readonly connections: Pick<ConnectionsStore, 'find' | 'list'> }) {
  return async (
    { id: integrationId, projectId }: Pick<Integration, 'id' | 'projectId'>,
    connectionId: string | undefined,
  ): Promise<Pick<Connection, 'id' | 'accountId'> | undefined> => {
    const projectIds = [projectId];
    if (connectionId === undefined) {
      const found = await connections.list(db, { projectIds, integrationId, limit: LOOKED_AT_MAX });
      return found.find(({ status }) => status === 'active');
    }
    const found = await connections.find(db, connectionId, projectIds);
    return found?.integrationId === integrationId ? found : undefined;
  };
}
