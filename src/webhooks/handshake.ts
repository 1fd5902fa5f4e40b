import type { HandshakeAnswer, WebhookDescription, WebhookRequest } from './webhook.ts';

/**
 * The answer to a handshake; undefined for everything else, which then is verified as a delivery. `verifyTokens` are
 * those that the provider may bring (Meta's hub.verify_token), newest first.
 */
export function answerHandshake(
  _description: WebhookDescription,
  _request: WebhookRequest,
  _secrets: readonly string[],
  _tools: { readonly now: () => number; readonly verifyTokens: readonly string[] },
): HandshakeAnswer | undefined {
  throw new Error('not written yet');
}
