import type { Config } from '../config.ts';
import type { Chore } from '../platform/chores.ts';
import { HOURLY } from '../platform/chores.ts';
import { createDataKeys, deleteOldDataKeysOfAnyProject, formatDay } from '../platform/data-keys.ts';
import type { Logger } from '../platform/logger.ts';
import { notifyProcesses } from '../platform/postgres/change-notices.ts';
import { daysChore } from '../platform/postgres/daily-chores.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { Access } from '../projects/access.ts';
import type { StoredAmounts } from '../projects/stored-amounts.ts';
import { createEnqueueGatewayEvents } from './gateway-events/gateway-events.ts';
import { createEventsEndpoints } from './reading/events.router.ts';
import { createLatestEventsEndpoints } from './reading/latest-events.router.ts';
import { createReadEvents } from './reading/read-events.ts';
import { createAppendNotices } from './stream/append-notices.ts';
import { createEventStream } from './stream/stream.ts';

const DAY_MS = 24 * 3_600_000;
const LEFTOVERS_MS = 5_000;

/** Composes the stream of events: what appends to it, and what reads from it. */
export function createEvents(input: {
  config: Config;
  database: Database;
  vault: Vault;
  log: Logger;
  now(): number;
  isDraining(): boolean;
  stored: Pick<StoredAmounts, 'note'>;
}) {
  const { config, vault, log, now } = input;
  const db = input.database.knex;
  const keepDays = config.events.keepDays;
  const dataKeys = createDataKeys({ vault });
  const notices = createAppendNotices({ notify: (payloads) => notifyProcesses(db, payloads) });
  const stream = createEventStream({ db, dataKeys, notices, note: input.stored.note, log });
  const chores: Chore[] = [
    { name: 'events of stopped processes', intervalMs: LEFTOVERS_MS, run: () => stream.publishLeftovers() },
    daysChore(db, 'events', { now, keepDays }),
    {
      name: 'old data keys',
      ...HOURLY,
      // A day more, since sealed payloads of other tables may be a little older than their rows.
      run: () => deleteOldDataKeysOfAnyProject(db, formatDay(now() - (keepDays + 1) * DAY_MS)),
    },
  ];
  return {
    dataKeys,
    notices,
    append: stream.append,
    enqueue: stream.enqueue,
    enqueueGatewayEvents: createEnqueueGatewayEvents({ enqueue: stream.enqueue }),
    handleNotice: notices.handleNotice,
    settled: stream.settled,
    chores,
    endpoints: (access: Access) => [
      ...createEventsEndpoints({
        access,
        readEvents: createReadEvents({ ...input, db, dataKeys, notices, keepDays }),
      }),
      ...createLatestEventsEndpoints({ db, dataKeys, access }),
    ],
  };
}
