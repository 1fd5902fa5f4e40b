import { HttpError } from '../../http/errors.ts';

/** Look-ups by one statement. */
const KEYS_MAX = 500;
/** Look-ups that wait at once: a flood of made-up ids is refused beyond this. */
const WAITING_MAX = 5_000;

/**
 * Gathers look-ups that come at the same time into one read after the other, so that a flood of made-up keys costs a
 * statement for every few hundred of them. The look-up rejects with `overloaded` when too many wait.
 */
export function gatherLookups<Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  const waiting = new Map<string, PromiseWithResolvers<Value | undefined>>();
  let isReading = false;

  async function readAll(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, KEYS_MAX);
      for (const [key] of batch) waiting.delete(key);
      try {
        const found = await read(batch.map(([key]) => key));
        for (const [key, { resolve }] of batch) resolve(found.get(key));
      } catch (error) {
        for (const [, { reject }] of batch) reject(error);
      }
    }
    isReading = false;
  }

  return (key) => {
    const shared = waiting.get(key);
    if (shared) return shared.promise;
    if (waiting.size >= WAITING_MAX) return Promise.reject(new HttpError('overloaded'));
    const mine = Promise.withResolvers<Value | undefined>();
    waiting.set(key, mine);
    if (!isReading) {
      isReading = true;
      // What else arrives in this turn of the event loop goes along.
      setImmediate(() => void readAll());
    }
    return mine.promise;
  };
}
