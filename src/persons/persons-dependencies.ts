import type { WriteStream } from '../http/idempotency.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import type { EndUsers } from '../projects/end-users.store.ts';
import type { ErasureDependencies } from './begin-erasure.ts';
import type { Person } from './person.ts';

/** What the operations on users and on organizations need. */
export type PersonsDependencies = ErasureDependencies & {
  readonly db: Db;
  readonly access: Access;
  readonly endUsers: Pick<EndUsers, 'list' | 'listOrganizations' | 'lockEndUser'>;
  readonly publicUrl: string;
  exportPerson(caller: string, person: Person, head: { readonly kind: string }): WriteStream;
};
