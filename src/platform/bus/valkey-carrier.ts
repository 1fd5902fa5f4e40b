import { connectValkey } from '../valkey.ts';
import type { Carrier } from './carrier.ts';

/** Carries messages by publish and subscribe of Valkey. */
export function createValkeyCarrier({ url, channel }: { url: string; channel: string }): Carrier {
  const publisher = connectValkey(url);
  const subscriber = connectValkey(url, { isSubscriber: true });
  return {
    async publish(text) {
      await publisher.publish(channel, text);
    },
    listen({ onMessage, onDown }) {
      subscriber.on('message', (_channel, text) => onMessage(text));
      subscriber.on('close', onDown);
      // Again by itself after each new connection.
      subscriber.subscribe(channel).catch(() => undefined);
    },
    async stop() {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}
