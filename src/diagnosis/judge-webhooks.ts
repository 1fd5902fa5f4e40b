import { createFinding, type Finding } from './finding.ts';

/** What is known of the webhooks of an integration. */
type WebhookFacts = {
  /** Webhooks are wanted: a secret was set for them, or the gateway registered them. */
  readonly areWanted: boolean;
  readonly lastWebhook: Date | null;
  /** Since the last webhook whose signature fitted. */
  readonly signatureFailures: {
    readonly count: number;
    readonly lastAt: Date | null;
    /** What they fit; undefined where nothing is known but that they fit nothing. */
    readonly cause?:
      | { readonly kind: 'other_scheme' }
      | { readonly kind: 'other_integration'; readonly id: string; readonly clientId: string | null }
      | undefined;
  };
};

type WebhookContext = {
  readonly provider: string;
  readonly webhookUrl: string;
  /** The provider signs with the client's own values: there is no other secret. */
  readonly isSignedByClient?: boolean | undefined;
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
export function judgeWebhooks(facts: WebhookFacts | undefined, context: WebhookContext): Finding[] {
  if (facts === undefined) return [];
  if (facts.signatureFailures.count > 0) return [judgeSignatures(facts.signatureFailures, context)];
  const { provider, webhookUrl } = context;
  const hasNone = facts.areWanted && facts.lastWebhook === null;
  return hasNone ? [createFinding('webhook_never_came', { provider, webhookUrl })] : [];
}

function judgeSignatures(
  { count, lastAt, cause }: WebhookFacts['signatureFailures'],
  { provider, webhookUrl, isSignedByClient = false }: WebhookContext,
): Finding {
  const evidence = [
    { label: 'Signatures refused', value: String(count), ...(lastAt && { at: lastAt.toISOString() }) },
  ];
  const about = { provider, webhookUrl, count: String(count) };
  if (cause?.kind === 'other_integration') {
    const parameters = { ...about, otherClient: cause.clientId ?? cause.id, otherIntegrationId: cause.id };
    return createFinding('webhook_of_other_integration', parameters, { evidence });
  }
  if (cause?.kind === 'other_scheme') {
    const [scheme, otherScheme] = webhookUrl.startsWith('https:')
      ? (['https', 'http'] as const)
      : (['http', 'https'] as const);
    return createFinding('webhook_url_differs', { ...about, scheme, otherScheme }, { evidence });
  }
  const code = isSignedByClient ? 'webhook_client_secret_wrong' : 'webhook_secret_wrong';
  return createFinding(code, about, { evidence });
}
