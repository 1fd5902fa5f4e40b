import { listCallsOfProjects } from '../call-log/recent-calls.store.ts';
import type { Catalog } from '../catalog/loading/catalog.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import { isUuid } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { EndUsers } from '../projects/end-users.store.ts';
import type { ProjectsStore } from '../projects/projects.store.ts';
import type { SearchSources } from './search.ts';

/** More projects than a person works in; their names are compared in memory. */
const PROJECTS_MAX = 200;
const INTEGRATIONS_MAX = 200;

/** Composes what the one search field looks through. */
export function createSearchSources(deps: {
  db: Db;
  catalog: Pick<Catalog, 'all'>;
  connections: ConnectionsStore;
  integrations: IntegrationsStore;
  endUsers: EndUsers;
  projects: Pick<ProjectsStore, 'list'>;
}): SearchSources {
  const { db } = deps;
  return {
    async findRequests(projectIds, requestId) {
      const calls = await listCallsOfProjects(db, { projectIds, requestId, limit: 1 });
      return calls.map((call) => ({
        ...{ kind: 'request' as const, id: call.requestId, projectId: call.projectId },
        title: `${call.method} ${call.path}`,
        subtitle: `${call.provider}, ${call.code ?? call.status}`,
      }));
    },
    async findConnections(projectIds, text, limit) {
      const found = await deps.connections.list(db, { projectIds, search: text, limit });
      return found.map((connection) => ({
        ...{ kind: 'connection' as const, id: connection.id, projectId: connection.projectId },
        title: connection.accountName ?? connection.accountId ?? nameOwner(connection),
        subtitle: `${connection.serviceProvider}, ${nameOwner(connection)}`,
      }));
    },
    async findUsers(projectIds, text, limit) {
      const found = await deps.endUsers.search(projectIds, text, limit);
      return found.map(({ id, projectId, subject }) => ({
        ...{ kind: 'user' as const, id, projectId, title: subject, subtitle: null },
      }));
    },
    async findIntegrations(projectIds, text, limit) {
      const found = isUuid(text)
        ? [await deps.integrations.find(db, text, projectIds)]
        : await deps.integrations.list(db, { projectIds, limit: INTEGRATIONS_MAX });
      return found
        .filter((each) => each !== undefined)
        .filter(({ id, serviceProvider }) => id === text.toLowerCase() || includes(serviceProvider, text))
        .slice(0, limit)
        .map(({ id, projectId, serviceProvider, clientId }) => ({
          ...{ kind: 'integration' as const, id, projectId, title: serviceProvider, subtitle: clientId },
        }));
    },
    async findProjects(projectIds, text, limit) {
      const found = await deps.projects.list({ projectIds, beforeId: undefined, limit: PROJECTS_MAX });
      return found
        .filter(({ id, name }) => id === text.toLowerCase() || includes(name, text))
        .slice(0, limit)
        .map(({ id, name }) => ({
          ...{ kind: 'project' as const, id, projectId: id, title: name, subtitle: null },
        }));
    },
    async findProviders(text, limit) {
      const providers = await deps.catalog.all();
      const found = providers.filter(({ id, name }) => includes(id, text) || includes(name, text));
      const beginsFirst = found.sort((a, b) => rank(a, text) - rank(b, text));
      return beginsFirst.slice(0, limit).map(({ id, name, category }) => ({
        ...{ kind: 'provider' as const, id, projectId: null, title: name, subtitle: category },
      }));
    },
  };
}

function includes(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase());
}

/** Names that begin with the text come first. */
function rank({ id, name }: { id: string; name: string }, text: string): number {
  const lower = text.toLowerCase();
  return id.startsWith(lower) || name.toLowerCase().startsWith(lower) ? 0 : 1;
}

function nameOwner({ organization, subject }: Pick<Connection, 'organization' | 'subject'>): string {
  return organization ?? subject ?? '';
}
