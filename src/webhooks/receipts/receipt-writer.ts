import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import { countSharedStoreTime, withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import type { IdentifiedReceipt } from './receipt.ts';

/** Inserts under way at once: while one waits for its commit, the next one gathers. */
const INSERTS_MAX = 2;
/** Of one insert. */
const ROWS_MAX = 64;
const BYTES_MAX = 8 * 1024 * 1024;

type Waiting = {
  readonly receipt: IdentifiedReceipt;
  readonly done: PromiseWithResolvers<void>;
};

type Insert = (receipts: readonly IdentifiedReceipt[]) => Promise<void>;

/**
 * Stores receipts, those that come at the same time by one statement, so that a burst of webhooks costs few commits. The
 * promise of each settles when its statement has committed or failed.
 */
export function createReceiptWriter({ insert }: { readonly insert: Insert }) {
  const waiting: Waiting[] = [];
  let inserts = 0;

  function insertMore(): void {
    while (inserts < INSERTS_MAX && waiting.length > 0) {
      inserts += 1;
      void withoutStoreLimit(() => insertBatch(insert, takeBatch(waiting))).finally(() => {
        inserts -= 1;
        insertMore();
      });
    }
  }

  return {
    /** Resolves after the commit. Rejects as queries do, or when the request has waited for the store for too long. */
    write(receipt: IdentifiedReceipt): Promise<void> {
      const done = Promise.withResolvers<void>();
      waiting.push({ receipt, done });
      insertMore();
      return countSharedStoreTime(done.promise);
    },
  };
}

/** Takes the first ones out of `waiting`, as many as one statement may insert. */
function takeBatch(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  let rows = 0;
  for (const { receipt } of waiting) {
    bytes += receipt.body.length;
    if (rows === ROWS_MAX || (rows > 0 && bytes > BYTES_MAX)) break;
    rows += 1;
  }
  return waiting.splice(0, rows);
}

async function insertBatch(insert: Insert, batch: readonly Waiting[]): Promise<void> {
  try {
    await insert(batch.map(({ receipt }) => receipt));
    for (const { done } of batch) done.resolve();
  } catch (error) {
    // One that the store does not take must not take the others with it.
    if (batch.length > 1 && !isTransientStoreError(error)) {
      for (const each of batch) await insertBatch(insert, [each]);
    } else for (const { done } of batch) done.reject(error);
  }
}
