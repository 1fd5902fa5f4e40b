import type { Db } from '../../platform/postgres/database.ts';

/** How often the provider is asked about one credential, over all processes. */
const PROOF_PAUSE_SECONDS = 60;
/** How reasons begin that this store writes. */
export const CALLS_REFUSED = 'calls refused: ';

/** A credential that cannot be renewed, as it was when its provider refused it. */
export type RefusedCredential = Readonly<{ connectionId: string; projectId: string; version: number }>;

export type RefusedCallsStore = ReturnType<typeof createRefusedCallsStore>;

/**
 * SQL over what providers make of credentials that cannot be renewed. Each statement is about one version of them: what
 * was learnt of an earlier one says nothing.
 */
export function createRefusedCallsStore({ db }: { db: Db }) {
  const rowOf = (on: Db, { connectionId, projectId, version }: RefusedCredential) =>
    on('connections').where({
      id: connectionId,
      project_id: projectId,
      credentials_version: version,
      status: 'active',
    });

  return {
    /** True for one process a minute. */
    async claimProof(target: RefusedCredential): Promise<boolean> {
      const changed = await rowOf(db, target)
        .whereRaw(
          `(call_proof_at IS NULL OR call_proof_at <= now() - make_interval(secs => ${PROOF_PAUSE_SECONDS}))`,
        )
        .update({ call_proof_at: db.fn.now() });
      return changed > 0;
    },

    /** Counts a refusal, and answers how many there were in a row; undefined where the credential is another one now. */
    async count(target: RefusedCredential): Promise<number | undefined> {
      const [row] = await rowOf(db, target)
        .update({ call_refusals: db.raw('call_refusals + 1') })
        .returning<{ call_refusals: number }[]>('call_refusals');
      return row?.call_refusals;
    },

    /** Says of a connection that goes on what its provider answers. A change of it is announced, once. */
    async setReason(target: RefusedCredential, reason: string): Promise<void> {
      await rowOf(db, target)
        .where((old) => old.whereNull('status_reason').orWhereNot({ status_reason: reason }))
        .update({ status_reason: reason, version: db.raw('version + 1'), updated_at: db.fn.now() });
    },

    /** The credential is good: what was said against it is forgotten. */
    async reset({
      connectionId,
      projectId,
    }: Pick<RefusedCredential, 'connectionId' | 'projectId'>): Promise<void> {
      await db('connections')
        .where({ id: connectionId, project_id: projectId, status: 'active' })
        .where('call_refusals', '>', 0)
        .update({
          call_refusals: 0,
          version: db.raw('version + coalesce((status_reason LIKE ?)::integer, 0)', [`${CALLS_REFUSED}%`]),
          status_reason: db.raw('CASE WHEN status_reason LIKE ? THEN NULL ELSE status_reason END', [
            `${CALLS_REFUSED}%`,
          ]),
        });
    },

    /** Ends the connection; false where it has ended, or has another credential now. */
    async end(trx: Db, target: RefusedCredential, reason: string): Promise<boolean> {
      const changed = await rowOf(trx, target).update({
        status: 'reauthorization_required',
        status_reason: reason,
        version: trx.raw('version + 1'),
        updated_at: trx.fn.now(),
      });
      return changed > 0;
    },
  };
}
