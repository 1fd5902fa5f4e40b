import type { Notice } from '../platform/change-notices.ts';
import { afterCommit } from '../platform/postgres/after-commit.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type Change, listNotices } from './actions.ts';
import { type ActivityRow, insertActivity } from './activity.store.ts';

/** Records a change, or many, in the transaction that makes them, so that all commit or none does. */
export type RecordActivity = (trx: Db, change: Change | readonly Change[]) => Promise<void>;

/**
 * The one place that records changes: each is written to the audit log, and when its transaction has committed, this
 * process drops what it keeps in memory, so that the caller's next call finds the change. Other processes are notified
 * by triggers. `onRecorded` runs in the same transaction.
 */
export function createRecordActivity(deps: {
  announce(notice: Notice): void;
  onRecorded?(trx: Db, changes: readonly Change[], entries: readonly ActivityRow[]): Promise<void>;
}): RecordActivity {
  return async (trx, change) => {
    const changes = [change].flat();
    if (changes.length === 0) return;
    const entries = await insertActivity(trx, changes);
    await deps.onRecorded?.(trx, changes, entries);
    afterCommit(trx, () => {
      for (const notice of changes.flatMap(listNotices)) deps.announce(notice);
    });
  };
}
