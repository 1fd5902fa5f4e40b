import type { RecordActivity } from '../activity/record.ts';
import { describeDeleter } from '../credentials/revoking/erasing.ts';
import type { PrincipalOf } from '../http/principal.ts';
import type { JobQueue } from '../platform/job-queue.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Pseudonyms } from '../platform/pseudonyms.ts';
import type { EndUsers } from '../projects/end-users.store.ts';
import { ERASING_PHASES } from './erase-pages.ts';
import { type Erasure, findErasureOfPerson, insertErasure } from './erasures.store.ts';
import type { SealedPersons } from './sealed-persons.ts';

/** The name of the jobs; their keys are ids of erasures. */
export const ERASE_USER_JOB = 'erase-user';

export type ErasureDependencies = {
  readonly endUsers: Pick<EndUsers, 'lockEndUser'>;
  readonly jobs: Pick<JobQueue, 'add'>;
  readonly pseudonyms: Pick<Pseudonyms, 'find' | 'findOrCreate'>;
  readonly sealed: SealedPersons;
  readonly recordActivity: RecordActivity;
  revokeTokensOfErased(
    trx: Db,
    projectId: string,
    user: { readonly userId: string; readonly pseudonym: string },
  ): Promise<void>;
};

/** Who is to be erased; `name`: the application's own id. */
export type Erasable = {
  readonly kind: Erasure['kind'];
  readonly projectId: string;
  readonly endUserId: string;
  readonly name: string;
};

/** The erasure of one who is gone, by either id. */
export async function findEarlierErasure(
  { pseudonyms }: Pick<ErasureDependencies, 'pseudonyms'>,
  trx: Db,
  { kind, projectId, id }: Pick<Erasable, 'kind' | 'projectId'> & { readonly id: string },
): Promise<Erasure | undefined> {
  const pseudonymize = await pseudonyms.find(trx, projectId);
  if (pseudonymize === undefined) return undefined;
  const names = { byUserId: pseudonymize(kind, id), byId: pseudonymize('user_id', id.toLowerCase()) };
  const found = await findErasureOfPerson(trx, projectId, names);
  return found?.kind === kind ? found : undefined;
}

/** The erasure that is under way, or one that begins now. */
export async function beginErasure(
  deps: ErasureDependencies,
  trx: Db,
  { kind, projectId, endUserId, name }: Erasable,
  principal: PrincipalOf<['operator', 'api_key']>,
): Promise<Erasure | undefined> {
  await deps.endUsers.lockEndUser(trx, projectId, endUserId);
  const pseudonymize = await deps.pseudonyms.findOrCreate(trx, projectId);
  const pseudonym = pseudonymize(kind, name);
  const idPseudonym = pseudonymize('user_id', endUserId);
  const underWay = await findErasureOfPerson(trx, projectId, { byUserId: idPseudonym, byId: idPseudonym });
  if (underWay !== undefined) return underWay;
  const isUser = kind === 'user';
  const erasure = await insertErasure(trx, {
    ...{ projectId, kind, pseudonym, idPseudonym },
    phase: ERASING_PHASES[0],
    requestedBy: describeDeleter(principal),
    seal: (erasureId) =>
      deps.sealed.seal(erasureId, {
        ...{ projectId, endUserId },
        userId: isUser ? name : null,
        organization: isUser ? null : name,
      }),
  });
  // Tokens that name an organization are persons', who stay.
  if (isUser) await deps.revokeTokensOfErased(trx, projectId, { userId: name, pseudonym });
  await deps.recordActivity(trx, {
    projectId,
    actor: principal,
    action: isUser ? 'user.erased' : 'organization.erased',
    subjectId: pseudonym,
    details: { erasureId: erasure.id },
  });
  await deps.jobs.add(trx, ERASE_USER_JOB, { key: erasure.id, projectId, runAt: undefined });
  return erasure;
}
