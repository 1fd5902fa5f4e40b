import type { Kit } from '../../platform/kit.ts';
import { readMismatchCause, readWebhookNumbers } from '../receipts/webhook-numbers.store.ts';
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
    const cause = numbers.failures > 0 ? await readMismatchCause(db, integration) : undefined;
    const signatureFailures = { count: numbers.failures, lastAt: numbers.lastFailureAt, cause };
    return { areWanted, lastWebhook: numbers.lastWebhook, signatureFailures };
  };
}
