import type { Carrier } from '../../../src/platform/bus/carrier.ts';

/** A line between processes that a test cuts, and whose messages it drops. */
export function createMemoryLine() {
  type Handlers = Parameters<Carrier['listen']>[0];
  const listeners = new Set<Handlers>();
  const line = {
    isUp: true,
    /** Messages that were published and carried to nobody. */
    isDropping: false,
    cut(): void {
      line.isUp = false;
      for (const { onDown } of listeners) onDown();
    },
    createCarrier(): Carrier {
      let own: Handlers | undefined;
      return {
        async publish(text) {
          if (!line.isUp) throw new Error('the line is cut');
          if (!line.isDropping) for (const { onMessage } of listeners) onMessage(text);
        },
        listen(handlers) {
          own = handlers;
          listeners.add(handlers);
        },
        async stop() {
          if (own !== undefined) listeners.delete(own);
        },
      };
    },
  };
  return line;
}
