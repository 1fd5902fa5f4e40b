import type { Integration } from '../integrations/integration.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { ConnectionsFactsStore } from './connections-facts.store.ts';

export type DeletionImpact = ReturnType<typeof createDeletionImpact>;

/** What deleting an integration or a project takes with it. Polls and destinations do not exist yet. */
export function createDeletionImpact(deps: {
  connections: Pick<ConnectionsFactsStore, 'countUses'>;
  providers: Providers;
  listIntegrations(projectId: string): Promise<readonly Integration[]>;
}) {
  async function revokesGrants({ projectId, serviceProvider, grant }: Integration): Promise<boolean> {
    const provider = await deps.providers.find(projectId, serviceProvider, grant);
    return provider?.revocationUrl !== undefined;
  }

  return {
    async ofIntegration(integration: Integration) {
      const { projectId, id } = integration;
      const uses = await deps.connections.countUses({ projectId, integrationId: id });
      return { ...uses, revocations: await revokesGrants(integration), polls: 0, destinations: 0 };
    },

    async ofProject(projectId: string) {
      const uses = await deps.connections.countUses({ projectId });
      const integrations = await deps.listIntegrations(projectId);
      const revokes = await Promise.all(integrations.map(revokesGrants));
      return { ...uses, revocations: revokes.includes(true), polls: 0, destinations: 0 };
    },
  };
}
