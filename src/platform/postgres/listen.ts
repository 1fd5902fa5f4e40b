import { setTimeout as delay } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import pg from 'pg';
import { connectionSettings } from './connection.ts';

const KEEPALIVE_INTERVAL_MS = 10_000;
const ANSWER_LIMIT_MS = 3000;
const RECONNECT_FIRST_MS = 100;
const RECONNECT_MAX_MS = 5000;

interface ChangeListener {
  /** Resolves when the channel is listened to for the first time, or stop() was called. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Listens to one Postgres NOTIFY channel on a connection of its own, for ever: a lost connection is made again with
 * growing pauses up to 5 s. What was notified while it was lost never arrives, so `onLost` is the time to stop
 * trusting what notifications keep fresh, and `onRestored` the time to read it again.
 * A query every `keepaliveMs` notices a server that neither answers nor hangs up. Not for a pooler in transaction mode,
 * which drops LISTEN.
 */
export function createChangeListener(options: {
  url: string;
  channel: string;
  applicationName?: string;
  keepaliveMs?: number;
  /** Statements for every new connection, once it listens. */
  onConnect?: readonly string[];
  onMessage(payload: string): void;
  onLost(error: Error): void;
  onRestored(): void;
}): ChangeListener {
  const { url, channel, onMessage, onLost, onRestored } = options;
  const keepaliveMs = options.keepaliveMs ?? KEEPALIVE_INTERVAL_MS;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      ...connectionSettings(url),
      application_name: options.applicationName ?? 'gateway listener',
      connectionTimeoutMillis: ANSWER_LIMIT_MS,
      query_timeout: ANSWER_LIMIT_MS,
      keepAlive: true,
    });
    client.on('error', () => undefined);
    client.on('notification', (message) => {
      if (message.channel === channel) onMessage(message.payload ?? '');
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      for (const statement of options.onConnect ?? []) await client.query(statement);
      return client;
    } catch (error) {
      hangUp(client);
      throw error;
    }
  };

  /** Resolves with the reason when the connection is lost, or with undefined on stop(). */
  const untilLost = async (client: pg.Client): Promise<Error | undefined> => {
    const ended = new Promise<Error>((resolve) => {
      client.once('error', resolve);
      client.once('end', () => resolve(new Error('Connection ended')));
    });
    while (!stopping.signal.aborted) {
      const pause = delay(keepaliveMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      const lost = await Promise.race([ended, pause]);
      if (lost) return lost;
      if (stopping.signal.aborted) return undefined;
      const failed = await client.query('SELECT 1').then(() => undefined, toError);
      if (failed) return failed;
    }
    return undefined;
  };

  const run = async (onFirst: () => void): Promise<void> => {
    let pauseMs = RECONNECT_FIRST_MS;
    let isFirst = true;
    while (!stopping.signal.aborted) {
      const client = await connect().catch(() => undefined);
      if (client) {
        pauseMs = RECONNECT_FIRST_MS;
        if (isFirst) onFirst();
        else onRestored();
        isFirst = false;
        const lost = await untilLost(client);
        hangUp(client);
        if (lost) onLost(lost);
      }
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, RECONNECT_MAX_MS);
    }
  };

  return {
    start: () =>
      new Promise((resolve) => {
        running ??= run(resolve).finally(resolve);
      }),
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

function toError(error: unknown): Error {
  return isNativeError(error) ? error : new Error(String(error));
}

/** Sends Terminate and closes the socket at once: a frozen server would never answer. */
function hangUp(client: pg.Client): void {
  client.end().catch(() => undefined);
  client.connection.stream.destroy();
}
