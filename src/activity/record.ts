import type { Notice } from '../platform/changes.ts';
import { afterCommit } from '../platform/postgres/after-commit.ts';
import type { Db } from '../platform/postgres/database.ts';
import { insertActivity } from './activity.store.ts';
import { type Change, noticesOf } from './changes.ts';

/** Records a change in the transaction that makes it, so that both commit or neither does. */
export type RecordActivity = (trx: Db, change: Change) => Promise<void>;

/**
 * The one place that records changes: each is written to the audit log, and when its transaction has committed, this
 * process drops what it keeps in memory, so that the caller's next call finds the change. Other processes are notified
 * by triggers. `enqueue` is the place of an event outbox: it runs in the same transaction.
 */
export function createRecordActivity(deps: {
  announce(notice: Notice): void;
  enqueue?(trx: Db, change: Change): Promise<void>;
}): RecordActivity {
  return async (trx, change) => {
    await insertActivity(trx, change);
    await deps.enqueue?.(trx, change);
    afterCommit(trx, () => {
      for (const notice of noticesOf(change)) deps.announce(notice);
    });
  };
}
