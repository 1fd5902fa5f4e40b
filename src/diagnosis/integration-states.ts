import type { z } from 'zod';
import type { Integration } from '../integrations/integration.ts';
import type { Providers } from '../providers/custom-providers.ts';
import { hasClient, judgeProbed } from './client-diagnosis.ts';
import type { SignInsStore } from './connect-attempts.store.ts';
import type { integrationStatesSchema } from './diagnosis.schema.ts';
import { createFinding, mergeFindings } from './finding.ts';
import type { ContextOf } from './integration-context.ts';
import { judgeWithoutClient } from './judge-client.ts';
import type { ProbesStore } from './probes.store.ts';

const SIGN_INS_MS = 7 * 24 * 60 * 60 * 1_000;

type State = z.input<typeof integrationStatesSchema>['states'][number];

export type ReadIntegrationStates = (projectId: string) => Promise<State[]>;

/** How a project's integrations do, by what is known, in three queries however many there are. */
export function createReadIntegrationStates(deps: {
  providers: Providers;
  probes: Pick<ProbesStore, 'readAll'>;
  signIns: Pick<SignInsStore, 'countFailedUsers'>;
  listIntegrations(projectId: string): Promise<Integration[]>;
  contextOf: ContextOf;
  now(): number;
}): ReadIntegrationStates {
  type Probes = Awaited<ReturnType<typeof deps.probes.readAll>>;

  async function judge(integration: Integration, probes: Probes) {
    const { projectId, serviceProvider, grant } = integration;
    const provider = await deps.providers.find(projectId, serviceProvider, grant);
    if (provider === undefined) {
      return { checkedAt: null, finding: createFinding('provider_missing', { provider: serviceProvider }) };
    }
    const kept = probes.get(integration.id);
    if (kept === undefined && hasClient(provider)) return { checkedAt: null, finding: null };
    const context = await deps.contextOf(integration);
    const findings =
      kept === undefined ? [judgeWithoutClient(provider)] : judgeProbed(kept, provider, context);
    return { checkedAt: kept?.checkedAt.toISOString() ?? null, finding: mergeFindings(findings)[0] ?? null };
  }

  return async (projectId) => {
    const integrations = await deps.listIntegrations(projectId);
    const [probes, failedUsers] = await Promise.all([
      deps.probes.readAll(integrations),
      deps.signIns.countFailedUsers(projectId, new Date(deps.now() - SIGN_INS_MS)),
    ]);
    return Promise.all(
      integrations.map(async (integration) => ({
        integrationId: integration.id,
        ...(await judge(integration, probes)),
        failedUsers: failedUsers.get(integration.id) ?? 0,
      })),
    );
  };
}
