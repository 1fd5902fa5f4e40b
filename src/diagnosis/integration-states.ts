import type { z } from 'zod';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Integration } from '../integrations/integration.ts';
import type { EndingSecret } from '../integrations/secrets/secret-records.store.ts';
import type { Providers } from '../providers/custom-providers.ts';
import { hasClient, judgeProbed, withoutDisproved } from './client-diagnosis.ts';
import type { SignInsStore } from './connect-attempts.store.ts';
import type { integrationStatesSchema } from './diagnosis.schema.ts';
import type { EventFlow, ReadEventFlow } from './event-flow.store.ts';
import { createFinding, type Finding, mergeFindings } from './finding.ts';
import type { FindingCode } from './finding-texts.ts';
import type { ContextOf } from './integration-context.ts';
import { judgeWithoutClient } from './judge-client.ts';
import { judgeEventFlow } from './judge-event-flow.ts';
import { judgeProvider } from './judge-provider.ts';
import { judgeSecrets, SECRET_WARNED_MS } from './judge-secrets.ts';
import { judgeWebhooks, type ReadWebhookFacts } from './judge-webhooks.ts';
import type { ProbesStore } from './probes.store.ts';

const SIGN_INS_MS = 7 * 24 * 60 * 60 * 1_000;

/** Hints of a diagnosis: of the project or the gateway and not of one integration, or of what strangers can send. */
const HINTS: ReadonlySet<FindingCode> = new Set([
  'public_url_differs',
  'origin_not_allowed',
  'return_url_not_registered',
  'tokens_refused',
  'destinations_failing',
  'project_storage_full',
  'webhook_sender_unproven',
]);

type State = z.input<typeof integrationStatesSchema>['states'][number];

export type ReadIntegrationStates = (projectId: string) => Promise<State[]>;

/** How a project's integrations do, by what is known, in a handful of queries however many there are. */
export function createReadIntegrationStates(deps: {
  providers: Providers;
  probes: Pick<ProbesStore, 'readAll'>;
  signIns: Pick<SignInsStore, 'countFailedUsers'>;
  listIntegrations(projectId: string): Promise<Integration[]>;
  contextOf: ContextOf;
  listEndingSecrets(projectId: string, before: Date): Promise<readonly EndingSecret[]>;
  readEventFlow: ReadEventFlow;
  readWebhookFacts: ReadWebhookFacts;
  publicUrl: string;
  webhookUrl?: string | undefined;
  now(): number;
}): ReadIntegrationStates {
  type Probes = Awaited<ReturnType<typeof deps.probes.readAll>>;
  type EndingSecrets = readonly EndingSecret[];

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

  async function judge(integration: Integration, probes: Probes, flow: EventFlow, ending: EndingSecrets) {
    const { id, projectId, serviceProvider, grant } = integration;
    const provider = await deps.providers.find(projectId, serviceProvider, grant);
    if (provider === undefined) {
      return { checkedAt: null, finding: createFinding('provider_missing', { provider: serviceProvider }) };
    }
    const kept = probes.get(id);
    const noted = ending.flatMap(({ integrationId, record }) => (integrationId === id ? [record] : []));
    const known = [
      ...judgeProvider(provider).filter(({ severity }) => severity === 'error'),
      ...judgeSecrets(noted, { provider: provider.name, nowMs: deps.now() }),
      ...(await judgeEvents(integration, provider, flow)),
    ];
    const checkedAt = kept?.checkedAt.toISOString() ?? null;
    if (kept === undefined && hasClient(provider)) return { checkedAt, finding: chooseState(known) };
    const context = await deps.contextOf(integration);
    const ofClient =
      kept === undefined ? [judgeWithoutClient(provider)] : judgeProbed(kept, provider, context);
    const remaining = kept === undefined ? known : withoutDisproved(known, ofClient, kept.checkedAt);
    return { checkedAt, finding: chooseState([...ofClient, ...remaining]) };
  }

  return async (projectId) => {
    const nowMs = deps.now();
    const integrations = await deps.listIntegrations(projectId);
    const [probes, failedUsers, flow, ending] = await Promise.all([
      deps.probes.readAll(integrations),
      deps.signIns.countFailedUsers(projectId, new Date(nowMs - SIGN_INS_MS)),
      deps.readEventFlow(projectId),
      deps.listEndingSecrets(projectId, new Date(nowMs + SECRET_WARNED_MS)),
    ]);
    return Promise.all(
      integrations.map(async (integration) => ({
        integrationId: integration.id,
        ...(await judge(integration, probes, flow, ending)),
        failedUsers: failedUsers.get(integration.id) ?? 0,
      })),
    );
  };
}

/** The worst finding that the integration itself is in; null: none. */
function chooseState(findings: readonly Finding[]): Finding | null {
  return mergeFindings(findings.filter(({ code }) => !HINTS.has(code)))[0] ?? null;
}
