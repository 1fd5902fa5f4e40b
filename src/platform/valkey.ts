import { Redis } from 'iovalkey';

/** A command that is not answered in this time failed. */
const COMMAND_TIMEOUT_MS = 1_000;
const RECONNECT_MAX_MS = 2_000;
const KEEPALIVE_MS = 10_000;

export type Valkey = Redis;

/**
 * A connection to Valkey, or to a Redis of 6 or newer, which is made again for ever when it is lost. Commands fail while it
 * is away: what they are for has a way without it.
 */
export function connectValkey(url: string, { isSubscriber = false } = {}): Valkey {
  const client = new Redis(url, {
    connectTimeout: COMMAND_TIMEOUT_MS * 2,
    ...(!isSubscriber && { commandTimeout: COMMAND_TIMEOUT_MS }),
    // A command that waited for a connection would be late.
    enableOfflineQueue: isSubscriber,
    maxRetriesPerRequest: isSubscriber ? null : 0,
    keepAlive: KEEPALIVE_MS,
    retryStrategy: (times) => Math.min(times * 100, RECONNECT_MAX_MS),
  });
  // Each command has its own error; without a listener one of the connection would end the process.
  client.on('error', () => undefined);
  return client;
}
