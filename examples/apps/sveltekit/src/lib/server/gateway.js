import { createGatewayClient } from '@integration-gateway/node';
import { EVENT_SECRET, GATEWAY_API_KEY, GATEWAY_URL } from '$app/env/private';

/** Made at each request: a build loads this file, and knows none of the variables. */
export const createClient = () =>
  createGatewayClient({ url: GATEWAY_URL, apiKey: GATEWAY_API_KEY, webhookSecret: EVENT_SECRET });

/** The latest events of each user. Keep yours in a database. */
const received = new Map();

export const listReceived = (userId) => received.get(userId) ?? [];

/** Each event comes at least once, always under the same id. */
export function keep(event) {
  const events = listReceived(event.userId);
  if (events.some(({ id }) => id === event.id)) return;
  received.set(event.userId, [event, ...events].slice(0, 20));
}
