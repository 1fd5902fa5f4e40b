import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Carrier } from './carrier.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MS = 500;
const PING_MS = 5_000;

/** Carries messages by the core of NATS, which keeps none. */
export function createNatsCarrier({ url, channel }: { url: string; channel: string }): Carrier {
  const { username, password, protocol, host } = new URL(url);
  let connection: NatsConnection | undefined;
  let isStopped = false;

  const open = (): Promise<NatsConnection> =>
    connect({
      servers: `${protocol}//${host}`,
      ...(username !== '' && password !== ''
        ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
        : username !== '' && { token: decodeURIComponent(username) }),
      timeout: CONNECT_TIMEOUT_MS,
      pingInterval: PING_MS,
      maxPingOut: 2,
      // A new connection each time, so that a lost one shows.
      reconnect: false,
    });

  async function run(onMessage: (text: string) => void, onDown: () => void): Promise<void> {
    while (!isStopped) {
      try {
        connection = await open();
        connection.subscribe(channel, { callback: (_error, message) => onMessage(message.string()) });
        await connection.closed();
      } catch {
        // It is tried again.
      }
      connection = undefined;
      onDown();
      if (!isStopped) await delay(RECONNECT_MS, undefined, { ref: false });
    }
  }

  return {
    async publish(text) {
      if (connection === undefined) throw new Error('NATS is away');
      connection.publish(channel, text);
      await connection.flush();
    },
    listen: ({ onMessage, onDown }) => void run(onMessage, onDown),
    async stop() {
      isStopped = true;
      await connection?.close();
    },
  };
}
