import { setImmediate } from 'node:timers/promises';

/**
 * Maps items of which each has a length one after the other, and gives other work its turn whenever `lengthPerTurn` of it is
 * done, so that a long list does not hold the event loop.
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  lengthPerTurn: number,
  map: (item: Item) => { readonly result: Result; readonly length: number },
): Promise<Result[]> {
  const results: Result[] = [];
  let lengthOfTurn = 0;
  for (const item of items) {
    const { result, length } = map(item);
    results.push(result);
    lengthOfTurn += length;
    if (lengthOfTurn < lengthPerTurn) continue;
    lengthOfTurn = 0;
    await setImmediate();
  }
  return results;
}
