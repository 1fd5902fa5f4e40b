import type { ProjectChange } from '../../activity/actions.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { NewEvent } from '../stream/event.ts';

/** What a change is turned into an event with. */
export type EventChange = {
  readonly trx: Db;
  readonly change: ProjectChange;
  readonly subjectId: string;
  /** The application's own ids of end users whose rows may no longer lead to them. */
  readonly userIds: ReadonlyMap<string, string>;
};

export type EventContent = Pick<
  NewEvent,
  'integrationId' | 'connectionId' | 'integrationUserId' | 'userId'
> & {
  readonly data: object;
};
