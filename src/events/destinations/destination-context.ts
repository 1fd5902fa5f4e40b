import type { DistributiveOmit, ProjectChange } from '../../activity/actions.ts';
import type { RecordActivity } from '../../activity/record.ts';
import type { Principal } from '../../http/principal.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access, AccessMode } from '../../projects/access.ts';
import type { Destination } from './destination.ts';
import type { UrlRules } from './destination-url.ts';
import type { DestinationsStore } from './destinations.store.ts';

export type DestinationChange = DistributiveOmit<
  Extract<ProjectChange, { action: `event_destination.${string}` }>,
  'projectId' | 'subjectId'
>;

/** What every operation on destinations needs. */
export type DestinationContext = {
  readonly db: Db;
  readonly access: Access;
  readonly destinations: DestinationsStore;
  readonly publicUrl: string;
  readonly urlRules: UrlRules;
  /** The destination, for who may do that; `destination_not_found` or `insufficient_role` else. */
  find(principal: Principal, id: string, mode: AccessMode): Promise<Destination>;
  record(
    trx: Db,
    destination: Pick<Destination, 'id' | 'projectId'>,
    change: DestinationChange,
  ): Promise<void>;
};

export function createDestinationContext(deps: {
  db: Db;
  access: Access;
  destinations: DestinationsStore;
  recordActivity: RecordActivity;
  publicUrl: string;
  urlRules: UrlRules;
}): DestinationContext {
  const { db, access, destinations } = deps;
  return {
    ...deps,
    find: (principal, id, mode) =>
      access.find(principal, mode, 'destination_not_found', (projectIds) =>
        destinations.find(db, id, projectIds),
      ),
    record: (trx, { id, projectId }, change) =>
      deps.recordActivity(trx, { ...change, projectId, subjectId: id }),
  };
}
