import { WebhookVerificationError } from '@integration-gateway/node';
import { createClient, keep } from '../../lib/gateway';

/** Sent by the gateway. An answer of 2xx means that the event is safe here. */
export async function POST(request: Request): Promise<Response> {
  try {
    keep(await createClient().webhooks.verify(request));
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(error.code, { status: 400 });
  }
  return new Response(null, { status: 204 });
}
