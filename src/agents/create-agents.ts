import type { UserSessions } from '../connect/sessions-of-users.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import type { Kit } from '../platform/kit.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { Proxy as ProxyEngine } from '../proxy/proxy.router.ts';
import { createCallProvider } from './call-provider.ts';
import { createCancellations } from './cancellations.ts';
import { createConnectedRouter } from './connected.router.ts';
import { createConnecting } from './connecting.ts';
import { createDocumentsStore } from './documents/documents.store.ts';
import { createDocuments } from './documents/documents.ts';
import { createFindOperations } from './find-operations.ts';
import { createFindOwners } from './find-owners.ts';
import { createKnownMetas } from './known-metas.ts';
import { createListConnections } from './list-connections.ts';
import { createMcpRouter, type McpRouterDependencies } from './mcp.router.ts';
import { createMcp } from './mcp.ts';
import { createQuickDoor, type QuickDoor, type QuickDoorSurroundings } from './quick-door.ts';
import { createRunTool } from './run-tool.ts';

export type AgentsInput = Pick<Kit, 'db' | 'log' | 'publicUrl' | 'outbound'> &
  Pick<McpRouterDependencies, 'verifyUserToken' | 'isAllowedOrigin' | 'challengeOf'> & {
    readonly connections: Pick<ConnectionsStore, 'list'>;
    readonly integrations: Pick<IntegrationsStore, 'findMany'>;
    readonly providers: Pick<Providers, 'find'>;
    readonly sessions: UserSessions;
    readonly proxy: Pick<ProxyEngine, 'enter'>;
    endUserId(projectId: string, subject: string): Promise<string>;
    organizationId(projectId: string, organization: string): Promise<string>;
    /** Messages of one user a minute; 0: any number. */
    readonly messagesPerMinute: number;
    readonly sharedLimits: Pick<SharedLimits, 'limiter'>;
  };

/** Builds the door for agents: a server of the Model Context Protocol whose calls go the way of proxied ones. */
export function createAgents(input: AgentsInput) {
  const { messagesPerMinute: limit } = input;
  const documents = createDocuments({ ...input, store: createDocumentsStore(input) });
  const findOwners = createFindOwners(input);
  const cancellations = createCancellations();
  const runTool = createRunTool({
    ...input,
    cancellations,
    callProvider: createCallProvider({ proxy: input.proxy, host: new URL(input.publicUrl).host }),
    listConnections: createListConnections({ ...input, findOwners }),
    connecting: createConnecting(input),
    findOperations: createFindOperations({ ...input, documents, findOwners }),
  });
  const knownMetas = createKnownMetas();
  const door = {
    ...input,
    answerMcp: createMcp({ ...input, runTool, noteMeta: knownMetas.note, cancel: cancellations.cancel }),
    limiter:
      limit > 0
        ? input.sharedLimits.limiter({ name: 'MCP messages of a user', limit, windowSeconds: 60 })
        : undefined,
  };
  return {
    chores: documents.chores,
    routers: [createConnectedRouter(), createMcpRouter(door)],
    /** For calls of the usual form, before Express. */
    quickDoor: (surroundings: QuickDoorSurroundings): QuickDoor =>
      createQuickDoor({ ...door, runTool, knownMetas, ...surroundings }),
  };
}
