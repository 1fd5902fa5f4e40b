import type { WebhookDescription, WebhookRequest } from './webhook.ts';

/**
 * What a provider would add to the request: headers, the query and the body with the signature in them. `now` is in
 * milliseconds. The secret of a public-key scheme is the private key in PEM. Throws for a scheme that cannot be signed.
 */
export function signWebhook(
  _description: WebhookDescription,
  _request: WebhookRequest,
  _secret: string,
  _now: number,
): WebhookRequest {
  throw new Error('not written yet');
}
