import type { Activity } from '../activity/create-activity.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Authenticate } from '../http/principal.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import { createDataKeys, deleteOldDataKeysOfAnyProject, formatDay } from '../platform/data-keys.ts';
import type { Kit } from '../platform/kit.ts';
import { notifyProcesses } from '../platform/postgres/change-notices.ts';
import { daysChore } from '../platform/postgres/daily-chores.ts';
import type { Access } from '../projects/access.ts';
import type { StoredAmounts } from '../projects/stored-amounts.ts';
import { createEnqueueAuditEvents } from './gateway-events/audit-events.ts';
import { createEnqueueGatewayEvents } from './gateway-events/gateway-events.ts';
import { createEventsEndpoints } from './reading/events.router.ts';
import { createLatestEventsEndpoints } from './reading/latest-events.router.ts';
import { createReadEvents } from './reading/read-events.ts';
import { createAppendNotices } from './stream/append-notices.ts';
import { createEventStream } from './stream/stream.ts';

const DAY_MS = 24 * 3_600_000;
const LEFTOVERS_MS = 5_000;

export type EventsInput = Pick<Kit, 'db' | 'vault' | 'log' | 'now'> & {
  readonly activity: Pick<Activity, 'onRecorded'>;
  readonly stored: Pick<StoredAmounts, 'note'>;
  readonly keepDays: number;
  isDraining(): boolean;
};

export type Events = ReturnType<typeof createEvents>;

/** Builds the stream of events: what appends to it, and what reads from it. */
export function createEvents(input: EventsInput) {
  const { db, activity, keepDays, now } = input;
  const dataKeys = createDataKeys(input);
  const notices = createAppendNotices({ notify: (payloads) => notifyProcesses(db, payloads) });
  const stream = createEventStream({ ...input, dataKeys, notices, note: input.stored.note });
  activity.onRecorded(createEnqueueGatewayEvents({ enqueue: stream.enqueue }));
  const enqueueAudit = createEnqueueAuditEvents({ enqueue: stream.enqueue });
  activity.onRecorded((trx, _changes, entries) => enqueueAudit(trx, entries));
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
    handleNotice: notices.handleNotice,
    settled: stream.settled,
    chores,
    endpoints(above: { readonly access: Access; readonly authenticate: Authenticate }): Endpoint[] {
      const deps = { ...input, ...above, dataKeys, notices };
      return [
        ...createEventsEndpoints({ ...above, readEvents: createReadEvents(deps) }),
        ...createLatestEventsEndpoints(deps),
      ];
    },
  };
}
