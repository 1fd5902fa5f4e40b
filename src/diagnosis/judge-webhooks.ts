import { createFinding, type Finding } from './finding.ts';

/** What is known of the webhooks of an integration. */
type WebhookFacts = {
  /** Webhooks are wanted: a secret was set for them, or the gateway registered them. */
  readonly areWanted: boolean;
  readonly lastWebhook: Date | null;
  /** Signatures that fit no secret, since the last webhook whose signature fitted. */
  readonly signatureFailures: {
    readonly count: number;
    readonly lastAt: Date | null;
    /** What they fit; undefined where nothing is known but that they fit nothing. */
    readonly cause?:
      | { readonly kind: 'other_scheme' }
      | { readonly kind: 'other_integration'; readonly id: string; readonly clientId: string | null }
      | undefined;
  };
  /** Refused since then for what says nothing of the secret: no signature, one without its form, an old one. */
  readonly unproven?: { readonly count: number; readonly lastAt: Date | null } | undefined;
};

/** Strangers may send what does not fit: fewer say nothing of the secret. */
const MISMATCHES_MIN = 3;

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
  const { signatureFailures, unproven = { count: 0, lastAt: null } } = facts;
  // What fits another secret was signed by who has it; what fits nothing weighs by its number alone.
  if (isOfSecret(signatureFailures)) return [judgeSignatures(signatureFailures, context)];
  const { provider, webhookUrl } = context;
  const hasNone = facts.areWanted && facts.lastWebhook === null;
  return [
    ...(hasNone ? [createFinding('webhook_never_came', { provider, webhookUrl })] : []),
    ...judgeUnproven([signatureFailures, unproven], context),
  ];
}

function isOfSecret({ count, cause }: WebhookFacts['signatureFailures']): boolean {
  return count >= MISMATCHES_MIN || (count > 0 && cause !== undefined);
}

/** The finding of requests that a stranger may have sent. */
function judgeUnproven(
  refused: readonly { readonly count: number; readonly lastAt: Date | null }[],
  { provider, webhookUrl }: WebhookContext,
): Finding[] {
  const count = String(refused.reduce((sum, part) => sum + part.count, 0));
  if (count === '0') return [];
  const newest = refused.flatMap(({ lastAt }) => lastAt?.getTime() ?? []).toSorted((a, b) => b - a)[0];
  const at = newest === undefined ? {} : { at: new Date(newest).toISOString() };
  const evidence = [{ label: 'Signatures refused', value: count, ...at }];
  return [createFinding('webhook_sender_unproven', { provider, webhookUrl, count }, { evidence })];
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
