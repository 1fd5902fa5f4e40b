import { isStatementTimeout } from './store-errors.ts';

/**
 * Works with the first rows, `most` at a time, and with half as many where the store had no time for one statement with
 * them, down to a single one. One row more is tried after each success. The caller comes again for the rest.
 */
export function createFittingBatch(most: number) {
  let size = most;
  return async <Row, Result>(
    rows: readonly Row[],
    work: (batch: readonly Row[]) => Promise<Result>,
  ): Promise<Result> => {
    for (;;) {
      const batch = rows.slice(0, size);
      try {
        const result = await work(batch);
        if (batch.length === size) size = Math.min(size + 1, most);
        return result;
      } catch (error) {
        if (batch.length <= 1 || !isStatementTimeout(error)) throw error;
        size = Math.ceil(batch.length / 2);
      }
    }
  };
}
