import type { DistributiveOmit, ProjectChange } from '../../activity/actions.ts';
import type { RecordActivity } from '../../activity/record.ts';
import { HttpError } from '../../http/errors.ts';
import type { Principal } from '../../http/principal.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access } from '../../projects/access.ts';
import type { UrlRules } from './destination-url.ts';
import type { Destination, DestinationsStore } from './destinations.store.ts';

export type DestinationChange = DistributiveOmit<
  Extract<ProjectChange, { action: `event_destination.${string}` }>,
  'projectId' | 'subjectId'
>;

/** What every operation on destinations needs. */
export type DestinationDesk = {
  readonly db: Db;
  readonly access: Access;
  readonly destinations: DestinationsStore;
  readonly publicUrl: string;
  readonly urlRules: UrlRules;
  /** The destination, for who may do that; `destination_not_found` or `insufficient_role` else. */
  findFor(principal: Principal, id: string, mode: 'read' | 'write'): Promise<Destination>;
  record(
    trx: Db,
    destination: Pick<Destination, 'id' | 'projectId'>,
    change: DestinationChange,
  ): Promise<void>;
};

export function createDestinationDesk(deps: {
  db: Db;
  access: Access;
  destinations: DestinationsStore;
  recordActivity: RecordActivity;
  publicUrl: string;
  urlRules: UrlRules;
}): DestinationDesk {
  const { db, access, destinations } = deps;
  return {
    ...deps,
    async findFor(principal, id, mode) {
      const found = await destinations.find(db, id, await access.projectsOf(principal));
      if (found === undefined) throw new HttpError('destination_not_found');
      if (mode === 'write') await access.requireProjectAccess(principal, found.projectId, 'write');
      return found;
    },
    record: (trx, { id, projectId }, change) =>
      deps.recordActivity(trx, { ...change, projectId, subjectId: id }),
  };
}
