import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFairQueue } from './fair-queue.ts';

/** `undefined`: the work may begin at once; else when it resolves. */
export type TurnGate = { enter(key: string): Promise<void> | undefined };

/** Turns in which two thirds of those that wait have begun, however many there are. */
const TURNS = 100;

/**
 * Lets one piece of work begin in each turn of the event loop, keys in rotation, and of many that wait a hundredth. Where a thousand
 * come at once, the turns grow by what a few of them take in their stages, and not by all: other calls of the process, which wait
 * for some turns, stay quick. It holds nothing up where there is little to do, since turns are short then.
 */
export function createTurnGate(): TurnGate {
  const unbounded = Number.POSITIVE_INFINITY;
  const turns = createFairQueue({ running: 1, waitingPerKeyMax: unbounded, waitingMax: unbounded });
  let waiting = 0;
  let begunInTurn = 0;

  /** The one place is held until the turn is over, and not until the work is. */
  async function endTurn(): Promise<void> {
    begunInTurn += 1;
    if (begunInTurn < waiting / TURNS) return;
    await nextTurn();
    begunInTurn = 0;
  }

  return {
    enter(key) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let isBegun = false;
      waiting += 1;
      void turns.run(key, () => {
        isBegun = true;
        waiting -= 1;
        resolve();
        return endTurn();
      });
      return isBegun ? undefined : promise;
    },
  };
}
