import { createFinding, type Finding } from './finding.ts';

/** What is known of the webhooks of an integration. */
type WebhookFacts = {
  /** Webhooks are wanted: a secret was set for them, or the gateway registered them. */
  readonly areWanted: boolean;
  readonly lastWebhook: Date | null;
  /** Since the last webhook whose signature fitted. */
  readonly signatureFailures: { readonly count: number; readonly lastAt: Date | null };
};

/** Undefined: nothing is known, and so nothing is wrong. */
export type ReadWebhookFacts = (integration: {
  readonly id: string;
  readonly projectId: string;
}) => Promise<WebhookFacts | undefined>;

/** The finding of a project that keeps as much as it may. Pure. */
export function judgeStorage(isFull: boolean): Finding[] {
  return isFull ? [createFinding('project_storage_full', {})] : [];
}

/** Findings of the webhooks that came and did not come. Pure. */
export function judgeWebhooks(
  facts: WebhookFacts | undefined,
  { provider, webhookUrl }: { readonly provider: string; readonly webhookUrl: string },
): Finding[] {
  if (facts === undefined) return [];
  const { count, lastAt } = facts.signatureFailures;
  if (count > 0) {
    const evidence = [
      { label: 'Signatures refused', value: String(count), ...(lastAt && { at: lastAt.toISOString() }) },
    ];
    return [createFinding('webhook_secret_wrong', { provider, count: String(count) }, { evidence })];
  }
  const hasNone = facts.areWanted && facts.lastWebhook === null;
  return hasNone ? [createFinding('webhook_never_came', { provider, webhookUrl })] : [];
}
