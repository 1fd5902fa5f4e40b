import type { Kit } from '../../platform/kit.ts';
import { countUnproven, readMismatchCause, readWebhookNumbers } from '../receipts/webhook-numbers.store.ts';
import { hasSubscriptions } from '../subscriptions/subscriptions.store.ts';

/** Reads what the diagnosis knows of an integration's webhooks; undefined where there is no such integration. */
export function createReadWebhookFacts({
  db,
  flush,
}: Pick<Kit, 'db'> & {
  /** Writes down what this process has counted. */
  flush(): Promise<void>;
}) {
  return async (integration: { readonly id: string; readonly projectId: string }) => {
    await flush();
    const numbers = await readWebhookNumbers(db, integration);
    if (numbers === undefined) return undefined;
    const areWanted = numbers.hasSecret || (await hasSubscriptions(db, integration.id));
    const { lastWebhook, failures, lastFailureAt } = numbers;
    const [unproven, cause] = await Promise.all([
      countUnproven(db, integration, lastWebhook),
      failures > 0 ? readMismatchCause(db, integration, lastWebhook) : undefined,
    ]);
    return {
      areWanted,
      lastWebhook,
      signatureFailures: { count: failures, lastAt: lastFailureAt, cause },
      unproven,
    };
  };
}
