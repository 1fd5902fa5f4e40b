import { WebhookVerificationError } from '@integration-gateway/node';
import { error } from '@sveltejs/kit';
import { createClient, keep } from '#lib/server/gateway.js';

/** Sent by the gateway. An answer of 2xx means that the event is safe here. */
export async function POST({ request }) {
  try {
    keep(await createClient().webhooks.verify(request));
  } catch (fault) {
    if (!(fault instanceof WebhookVerificationError)) throw fault;
    error(400, fault.code);
  }
  return new Response(null, { status: 204 });
}
