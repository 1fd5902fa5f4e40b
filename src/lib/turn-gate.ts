/** `undefined`: the work may begin at once; else when it resolves. */
export type TurnGate = { enter(key: string): Promise<void> | undefined };

/**
 * Lets one piece of work begin in each turn of the event loop, keys in rotation. Where a thousand come at once, the turns grow by
 * what one of them takes in its stages, and not by all of them: other calls of the process, which wait for some turns, stay quick.
 * It holds nothing up where there is little to do, since turns are short then.
 */
export function createTurnGate(): TurnGate {
  /** In the order in which keys take their turns. */
  const waiting = new Map<string, (() => void)[]>();
  let isTaken = false;

  function take(): void {
    isTaken = true;
    setImmediate(beginNext);
  }

  function beginNext(): void {
    isTaken = false;
    const [next] = waiting;
    if (next === undefined) return;
    const [key, begins] = next;
    const begin = begins.shift();
    waiting.delete(key);
    if (begins.length > 0) waiting.set(key, begins);
    take();
    begin?.();
  }

  return {
    enter(key) {
      if (!isTaken) {
        take();
        return undefined;
      }
      return new Promise((resolve) => {
        const begins = waiting.get(key);
        if (begins) begins.push(resolve);
        else waiting.set(key, [resolve]);
      });
    },
  };
}
