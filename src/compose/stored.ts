import type { Knex } from 'knex';
import type { Change } from '../activity/actions.ts';
import type { Config } from '../config.ts';
import { afterCommit } from '../platform/postgres/after-commit.ts';
import type { Db } from '../platform/postgres/database.ts';
import { createStoredAmounts } from '../projects/stored-amounts.ts';

const RECEIPTS_KEEP_DAYS = 7;

/** Composes what counts how much each project makes the store keep. */
export function composeStored({ config, db, now }: { config: Config; db: Knex; now(): number }) {
  const { keepDays } = config.events;
  const stored = createStoredAmounts({
    db,
    now,
    limits: {
      rows: config.tenancy.storedRowsPerProjectMax,
      bytes: config.tenancy.storedBytesPerProjectMax,
    },
    keepDays: {
      receipts: Math.min(RECEIPTS_KEEP_DAYS, keepDays),
      events: keepDays,
      deliveries: keepDays,
      activity: config.activityKeepDays,
    },
  });

  return {
    ...stored,
    /** Counts the entries of the audit log that are about to be written. */
    noteChanges(trx: Db, changed: readonly Change[]): void {
      afterCommit(trx, () => {
        for (const { projectId } of changed) {
          if (projectId) stored.note(projectId, 'activity', { rows: 1 });
        }
      });
    },
  };
}
