import express, { type RequestHandler, Router } from 'express';
// In your application: from '@integration-gateway/node'
import {
  createGatewayClient,
  type Event,
  verifyWebhook,
  WebhookVerificationError,
} from '../../clients/node/src/index.ts';

type Publish = (event: Event) => void;

const EVENT_BYTES_MAX = 6 * 1024 * 1024;

/**
 * Receives the gateway's deliveries. `secret` is that of the event destination. An answer other than 2xx, or none within
 * 15 seconds, and the gateway tries again: answer when the event is safe with you, and work on it afterwards.
 */
export function createEventsRouter({ secret, publish }: { secret: string; publish: Publish }): Router {
  const router = Router();
  // The signature is over the bytes, so that no parser may touch the body before.
  const rawBody = express.raw({ type: () => true, limit: EVENT_BYTES_MAX });
  const receive: RequestHandler = async (req, res) => {
    try {
      publish(await verifyWebhook(req, secret));
      res.status(204).end();
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      res.status(400).json({ error: error.code });
    }
  };
  router.post('/gateway-events', rawBody, receive);
  return router;
}

/**
 * Reads the same events from the gateway's feed: no address of yours has to be reachable, and no secret to be kept beside the API
 * key. Ends with `signal`. Your application keeps the id of the last event that it has dealt with in its database, and
 * goes on behind it (`after`) at its next start.
 */
export async function readEvents(options: {
  readonly gatewayUrl: string;
  readonly apiKey: string;
  readonly types: readonly string[];
  readonly publish: Publish;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { gatewayUrl, apiKey, types, publish, signal } = options;
  const gateway = createGatewayClient({ url: gatewayUrl, apiKey });
  for await (const event of gateway.events.stream({ types, signal })) publish(event);
}
