import 'server-only';
import { createGatewayClient, type Event } from '@integration-gateway/node';
import { readSetting } from './settings';

export const createClient = () =>
  createGatewayClient({
    url: readSetting('GATEWAY_URL'),
    apiKey: readSetting('GATEWAY_API_KEY'),
    webhookSecret: readSetting('EVENT_SECRET'),
  });

/** The latest events of each user. Keep yours in a database: each route may be a module, or a process, of its own. */
const store: typeof globalThis & { received?: Map<string, Event[]> } = globalThis;
store.received ??= new Map();
const { received } = store;

export const listReceived = (userId: string): Event[] => received.get(userId) ?? [];

/** Each event comes at least once, always under the same id. */
export function keep(event: Event): void {
  if (event.userId === null) return;
  const events = listReceived(event.userId);
  if (events.some(({ id }) => id === event.id)) return;
  received.set(event.userId, [event, ...events].slice(0, 20));
}
