import type { ProjectChange } from '../../activity/actions.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { NewEvent } from '../stream/event.ts';
import type { OwnerNames } from './gateway-events.store.ts';

/** What a change is turned into an event with. */
export type EventChange = {
  readonly trx: Db;
  readonly change: ProjectChange;
  readonly subjectId: string;
  /** The application's own ids of owners whose connections' rows may no longer lead to them. */
  readonly owners: ReadonlyMap<string, OwnerNames>;
};

export type EventContent = Pick<
  NewEvent,
  'integrationId' | 'connectionId' | 'integrationUserId' | 'userId' | 'organization'
> & {
  readonly data: object;
};
