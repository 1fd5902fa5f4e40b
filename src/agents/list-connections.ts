import type { ConnectionsStore } from '../connections/connections.store.ts';
import { listOffered } from '../integrations/offered-integrations.store.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Caller } from './caller.ts';
import type { FindOwners } from './find-owners.ts';
import { isWithinMandate } from './within-mandate.ts';

const CONNECTIONS_MAX = 100;
const PROVIDERS_MAX = 200;
const NAME_LENGTH_MAX = 100;

export type ListConnections = (caller: Caller) => Promise<Record<string, unknown>>;

/** The tool `list_connections`: names and ids alone, since every word of it takes room in a model's context. */
export function createListConnections({
  db,
  connections,
  findOwners,
}: {
  readonly db: Db;
  readonly connections: Pick<ConnectionsStore, 'list'>;
  readonly findOwners: FindOwners;
}): ListConnections {
  return async ({ user }) => {
    const { projectId } = user;
    const all = await connections.list(db, {
      projectIds: [projectId],
      endUserIds: await findOwners(user),
      limit: CONNECTIONS_MAX + 1,
    });
    const found = all.filter(({ id, serviceProvider }) =>
      isWithinMandate(user, { provider: serviceProvider, connectionId: id }),
    );
    const offered = await listOffered(db, projectId);
    const connected = new Set(found.map(({ serviceProvider }) => serviceProvider));
    const others = [...new Set(offered.map(({ serviceProvider }) => serviceProvider))]
      .filter((provider) => !connected.has(provider) && isWithinMandate(user, { provider }))
      .sort();
    return {
      connections: found
        .slice(0, CONNECTIONS_MAX)
        .map(({ id, serviceProvider, accountName, status, organization }) => ({
          provider: serviceProvider,
          connection: id,
          account: accountName?.slice(0, NAME_LENGTH_MAX) ?? null,
          status,
          ...(organization !== null && { owner: 'organization' }),
        })),
      ...(all.length > CONNECTIONS_MAX && { hasMore: true }),
      connectable: others.slice(0, PROVIDERS_MAX),
      ...(others.length > PROVIDERS_MAX && { connectableCount: others.length }),
    };
  };
}
