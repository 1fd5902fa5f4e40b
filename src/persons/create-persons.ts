import type { RecordActivity } from '../activity/record.ts';
import { createConnectionWire } from '../connections/connection-wire.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { purgeRevocationsOfAnyProject } from '../credentials/revoking/revoke-all.store.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { DataKeys } from '../platform/data-keys.ts';
import type { JobQueue } from '../platform/job-queue.ts';
import type { Kit } from '../platform/kit.ts';
import type { Pseudonyms } from '../platform/pseudonyms.ts';
import { createExportPlaces } from '../projects/export-places.ts';
import type { Providers } from '../providers/custom-providers.ts';
import { ERASE_USER_JOB } from './begin-erasure.ts';
import type { ErasePagesDependencies } from './erase-pages.ts';
import { createErasePerson } from './erase-person.ts';
import { purgeErasuresOfAnyProject } from './erasures.store.ts';
import { createExportPerson } from './export-person.ts';
import { createPersonsEndpoints } from './persons.router.ts';
import type { PersonsDependencies } from './persons-dependencies.ts';
import { createSealedPersons } from './sealed-persons.ts';

/** Erasures under way in a process, half of them of one party at most. */
const CONCURRENCY = 4;
const DAY_MS = 24 * 3_600_000;

type PersonsInput = Pick<Kit, 'db' | 'vault' | 'now' | 'publicUrl'> &
  Omit<ErasePagesDependencies, 'disconnecting' | 'pseudonyms'> &
  Pick<PersonsDependencies, 'endUsers' | 'revokeTokensOfErased'> & {
    readonly pseudonyms: Pseudonyms;
    readonly disconnecting: Parameters<typeof createErasePerson>[0]['disconnecting'] &
      ErasePagesDependencies['disconnecting'];
    readonly jobs: Pick<JobQueue, 'add' | 'work'>;
    readonly recordActivity: RecordActivity;
    readonly connections: ConnectionsStore;
    readonly providers: Providers;
    readonly dataKeys: DataKeys;
    /** How long the audit log is kept, and with it the reports. */
    readonly keepDays: number;
  };

/** Builds what a person may ask for: all that is kept of them, and its end. */
export function createPersons(input: PersonsInput) {
  const { db, now, keepDays } = input;
  const sealed = createSealedPersons(input);
  input.jobs.work(ERASE_USER_JOB, { concurrency: CONCURRENCY }, createErasePerson({ ...input, sealed }));
  const exportPerson = createExportPerson({
    ...input,
    places: createExportPlaces(),
    connectionWire: createConnectionWire(input.providers),
  });
  return {
    endpoints: (above: Pick<PersonsDependencies, 'access'>): Endpoint[] =>
      createPersonsEndpoints({ ...input, ...above, sealed, exportPerson }),
    chores: [
      {
        name: 'old reports of erasures',
        ...HOURLY,
        async run() {
          const before = new Date(now() - keepDays * DAY_MS);
          await purgeErasuresOfAnyProject(db, before);
          await purgeRevocationsOfAnyProject(db, before);
        },
      },
    ] satisfies Chore[],
  };
}
