import type { z } from 'zod';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Integration } from '../integrations/integration.ts';
import type { Providers } from '../providers/custom-providers.ts';
import { hasClient, judgeProbed } from './client-diagnosis.ts';
import type { SignInsStore } from './connect-attempts.store.ts';
import type { integrationStatesSchema } from './diagnosis.schema.ts';
import type { EventFlow, ReadEventFlow } from './event-flow.store.ts';
import { createFinding, mergeFindings } from './finding.ts';
import type { ContextOf } from './integration-context.ts';
import { judgeWithoutClient } from './judge-client.ts';
import { judgeEventFlow } from './judge-event-flow.ts';
import { judgeWebhooks, type ReadWebhookFacts } from './judge-webhooks.ts';
import type { ProbesStore } from './probes.store.ts';

const SIGN_INS_MS = 7 * 24 * 60 * 60 * 1_000;

type State = z.input<typeof integrationStatesSchema>['states'][number];

export type ReadIntegrationStates = (projectId: string) => Promise<State[]>;

/** How a project's integrations do, by what is known, in a handful of queries however many there are. */
export function createReadIntegrationStates(deps: {
  providers: Providers;
  probes: Pick<ProbesStore, 'readAll'>;
  signIns: Pick<SignInsStore, 'countFailedUsers'>;
  listIntegrations(projectId: string): Promise<Integration[]>;
  contextOf: ContextOf;
  readEventFlow: ReadEventFlow;
  readWebhookFacts: ReadWebhookFacts;
  publicUrl: string;
  webhookUrl?: string | undefined;
  now(): number;
}): ReadIntegrationStates {
  type Probes = Awaited<ReturnType<typeof deps.probes.readAll>>;

  /** Findings of the polls, webhooks and destinations; signatures are looked at where some were refused. */
  async function judgeEvents(integration: Integration, provider: Provider, flow: EventFlow) {
    const found = judgeEventFlow(flow, integration, provider);
    const { failures = 0 } =
      flow.webhooks.find(({ integrationId }) => integrationId === integration.id) ?? {};
    if (failures === 0) return found;
    const webhookUrl = `${deps.webhookUrl ?? deps.publicUrl}/webhooks/${integration.id}`;
    const [facts, context] = await Promise.all([
      deps.readWebhookFacts(integration),
      deps.contextOf(integration),
    ]);
    return [...found, ...judgeWebhooks(facts, { ...context, webhookUrl })];
  }

  async function judge(integration: Integration, probes: Probes, flow: EventFlow) {
    const { projectId, serviceProvider, grant } = integration;
    const provider = await deps.providers.find(projectId, serviceProvider, grant);
    if (provider === undefined) {
      return { checkedAt: null, finding: createFinding('provider_missing', { provider: serviceProvider }) };
    }
    const kept = probes.get(integration.id);
    const ofEvents = await judgeEvents(integration, provider, flow);
    if (kept === undefined && hasClient(provider))
      return { checkedAt: null, finding: mergeFindings(ofEvents)[0] ?? null };
    const context = await deps.contextOf(integration);
    const findings =
      kept === undefined ? [judgeWithoutClient(provider)] : judgeProbed(kept, provider, context);
    return {
      checkedAt: kept?.checkedAt.toISOString() ?? null,
      finding: mergeFindings([...findings, ...ofEvents])[0] ?? null,
    };
  }

  return async (projectId) => {
    const integrations = await deps.listIntegrations(projectId);
    const [probes, failedUsers, flow] = await Promise.all([
      deps.probes.readAll(integrations),
      deps.signIns.countFailedUsers(projectId, new Date(deps.now() - SIGN_INS_MS)),
      deps.readEventFlow(projectId),
    ]);
    return Promise.all(
      integrations.map(async (integration) => ({
        integrationId: integration.id,
        ...(await judge(integration, probes, flow)),
        failedUsers: failedUsers.get(integration.id) ?? 0,
      })),
    );
  };
}
