import type { Catalog } from '../catalog/loading/catalog.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Config } from '../config.ts';
import { dryRun } from '../dry-run/dry-run-provider.ts';
import type { UntrustedProxy } from '../http/untrusted-proxy.ts';
import type { AboveProjects } from './identity.ts';
import type { ComposedPlatform } from './platform.ts';
import type { Rooms } from './rooms.ts';

export type ApiInput = {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly platform: ComposedPlatform;
  readonly rooms: Rooms;
  readonly untrustedProxy: () => UntrustedProxy | undefined;
};

type AboveIntegrations = Parameters<Rooms['integrations']['endpoints']>[0];

/** What the operations on projects need of the rooms above them. */
export function aboveProjects(rooms: Rooms): AboveProjects {
  const { erasing } = rooms;
  return {
    countConnections: rooms.connections.connections.countOfProject,
    hide: erasing.hideProject,
    endSessions: rooms.connect.endSessions,
    eraseSoon: (id) => erasing.eraseSoon({ kind: 'project', id, projectId: id }),
    holds: rooms.holds,
    async resume(projectId) {
      await rooms.deliveries.wake(projectId);
      await rooms.polls.wake(projectId);
    },
  };
}

/** The same of the operations on integrations. */
export function aboveIntegrations({ config, platform, rooms }: ApiInput): AboveIntegrations {
  const { connections } = rooms.connections;
  const { db } = platform.kit;
  return {
    access: rooms.identity.access,
    recordActivity: rooms.activity.recordActivity,
    providers: rooms.ownProviders.providers,
    origins: config,
    integrationsMax: config.tenancy.integrationsPerProjectMax,
    countConnections: (trx, { id, projectId }) => connections.countOfIntegration(trx, id, projectId),
    countConnectionsOf: (ids) => connections.countByIntegration(db, ids),
    sumCallsOf: rooms.callLog.sumCallsOf,
    hide: rooms.erasing.hideIntegration,
    eraseSoon: ({ id, projectId }) => rooms.erasing.eraseSoon({ kind: 'integration', id, projectId }),
    revokePending: rooms.credentials.disconnecting.revokePending,
    endWaiting: rooms.credentials.endWaiting,
    organizationId: rooms.identity.endUsers.organizationId,
  };
}

/** Every request that a provider would get, on this gateway and as the tests of the catalog ask. */
export function createDryRuns({ config, platform }: ApiInput) {
  const { outbound, publicUrl } = platform.kit;
  return {
    dryRun: (provider: Provider) =>
      dryRun(provider, publicUrl, { outbound, allowHttp: config.allowPrivateNetworks }),
    dryRunInCatalog: (provider: Provider) => dryRun(provider, 'https://gateway.example'),
  };
}
