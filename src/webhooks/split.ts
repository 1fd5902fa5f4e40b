import type { SplitWebhook, WebhookDescription, WebhookRequest } from './webhook.ts';

/** The events of a verified delivery, in the provider's order; none for a heartbeat. Never throws. */
export function splitWebhook(_description: WebhookDescription, _request: WebhookRequest): SplitWebhook {
  throw new Error('not written yet');
}
