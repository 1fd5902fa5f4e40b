import type { Verification, VerifyTools, WebhookDescription, WebhookRequest } from './webhook.ts';

/**
 * Whether the provider made this delivery. `secrets`: newest first; every one that is valid at the time. Never throws for
 * what a sender can do; throws what `tools.fetchKey` throws.
 */
export async function verifyWebhook(
  _description: WebhookDescription,
  _request: WebhookRequest,
  _secrets: readonly string[],
  _tools: VerifyTools,
): Promise<Verification> {
  throw new Error('not written yet');
}
