import { createGatewayClient } from '@integration-gateway/node';
import { env } from '$env/dynamic/private';

export const gateway = createGatewayClient({
  url: env.GATEWAY_URL,
  apiKey: env.GATEWAY_API_KEY,
  webhookSecret: env.EVENT_SECRET,
});

/** The latest events of each user. Keep yours in a database. */
const received = new Map();

export const listReceived = (userId) => received.get(userId) ?? [];

/** Each event comes at least once, always under the same id. */
export function keep(event) {
  const events = listReceived(event.userId);
  if (events.some(({ id }) => id === event.id)) return;
  received.set(event.userId, [event, ...events].slice(0, 20));
}
