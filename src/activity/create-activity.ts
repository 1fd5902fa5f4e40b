import type { Notice } from '../platform/change-notices.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Kit } from '../platform/kit.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Change } from './actions.ts';
import { type ActivityRow, purgeActivityOfAnyProject } from './activity.store.ts';
import { createRecordActivity } from './record.ts';

/** Called in the transaction of the changes, after they are written to the audit log. */
export type RecordedListener = (
  trx: Db,
  changes: readonly Change[],
  entries: readonly ActivityRow[],
) => Promise<void> | void;

export type Activity = ReturnType<typeof createActivity>;

/** Builds the audit log; `onRecorded` registers a room whose own rows follow from recorded changes. */
export function createActivity({
  db,
  keepDays,
  announce,
}: Pick<Kit, 'db'> & { readonly keepDays: number; announce(notice: Notice): void }) {
  const listeners: RecordedListener[] = [];
  const recordActivity = createRecordActivity({
    announce,
    async onRecorded(trx, changes, entries) {
      for (const listener of listeners) await listener(trx, changes, entries);
    },
  });
  return {
    recordActivity,
    onRecorded(listener: RecordedListener): void {
      listeners.push(listener);
    },
    chores: [
      {
        name: 'old activity',
        ...HOURLY,
        run: (signal) => purgeActivityOfAnyProject(db, { keepDays, signal }),
      },
    ] satisfies Chore[],
  };
}
