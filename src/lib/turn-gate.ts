import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFairQueue } from './fair-queue.ts';

/** `undefined`: the work may begin at once; else when it resolves. */
export type TurnGate = { enter(key: string): Promise<void> | undefined };

/**
 * Lets one piece of work begin in each turn of the event loop, keys in rotation. Where a thousand come at once, the turns grow by
 * what one of them takes in its stages, and not by all of them: other calls of the process, which wait for some turns, stay quick.
 * It holds nothing up where there is little to do, since turns are short then.
 */
export function createTurnGate(): TurnGate {
  const unbounded = Number.POSITIVE_INFINITY;
  const turns = createFairQueue({ running: 1, waitingPerKeyMax: unbounded, waitingMax: unbounded });

  return {
    enter(key) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let isBegun = false;
      // The one place is held until the turn is over, and not until the work is.
      void turns.run(key, () => {
        isBegun = true;
        resolve();
        return nextTurn();
      });
      return isBegun ? undefined : promise;
    },
  };
}
