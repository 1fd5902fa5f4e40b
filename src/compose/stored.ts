import type { Activity } from '../activity/create-activity.ts';
import type { Config } from '../config.ts';
import type { Kit } from '../platform/kit.ts';
import { afterCommit } from '../platform/postgres/after-commit.ts';
import { createStoredAmounts } from '../projects/stored-amounts.ts';

const RECEIPTS_KEEP_DAYS = 7;

/** How long webhooks are kept as they came. */
export function readReceiptsKeepDays({ events }: Config): number {
  return Math.min(RECEIPTS_KEEP_DAYS, events.keepDays);
}

/** Builds what counts how much each project makes the store keep. */
export function composeStored({
  config,
  activity,
  ...kit
}: Pick<Kit, 'db' | 'now'> & { readonly config: Config; readonly activity: Pick<Activity, 'onRecorded'> }) {
  const { keepDays } = config.events;
  const stored = createStoredAmounts({
    ...kit,
    limits: {
      rows: config.tenancy.storedRowsPerProjectMax,
      bytes: config.tenancy.storedBytesPerProjectMax,
    },
    keepDays: {
      receipts: readReceiptsKeepDays(config),
      events: keepDays,
      deliveries: keepDays,
      activity: config.activityKeepDays,
    },
  });
  activity.onRecorded((trx, changes) =>
    afterCommit(trx, () => {
      for (const { projectId } of changes) {
        if (projectId) stored.note(projectId, 'activity', { rows: 1 });
      }
    }),
  );
  return stored;
}
