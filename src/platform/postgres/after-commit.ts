import type { Db } from './database.ts';
import { withoutStoreLimit } from './store-time.ts';

/**
 * Runs `work` once the transaction has committed; at once outside a transaction, and never where it is rolled back. The
 * work is not on the account of the request that made the transaction. It may not throw.
 */
export function afterCommit(db: Db, work: () => void): void {
  if (!('executionPromise' in db)) {
    withoutStoreLimit(work);
    return;
  }
  db.executionPromise.then(
    () => withoutStoreLimit(work),
    () => undefined,
  );
}
