import { newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { ERASED_USER_PREFIX, type StoredRevocation } from './revocations.ts';

type Row = {
  id: string;
  project_id: string;
  jti: string | null;
  subject: string | null;
  issued_before: Date | null;
  created_at: Date;
  expires_at: Date;
};

type StoredTuple = readonly [jti: string | null, subject: string | null, issuedBeforeMs: number | null];

/** A revocation as it is listed. With neither `jti` nor `subject` it concerns everyone in the project. */
export type Revocation = Readonly<
  StoredRevocation & { id: string; projectId: string; createdAt: Date; expiresAt: Date }
>;

/**
 * No user token is good for longer than a day after it was issued, or was first seen without `iat`; two clocks may be
 * off by half a minute each.
 */
const LIFETIME = `interval '1 day 2 minutes'`;

const PURGED_AT_ONCE = 1_000;

export type RevocationsStore = ReturnType<typeof createRevocationsStore>;

/** Revoked user tokens. Every change also changes the project, of which all replicas are notified. */
export function createRevocationsStore({ db }: { db: Db }) {
  return {
    /** Every revocation of the project that is in force. */
    async loadRevocations(projectId: string): Promise<StoredRevocation[]> {
      // One JSON value: reading 10,000 rows one by one takes the event loop 40 ms.
      const milliseconds = 'floor(extract(epoch FROM issued_before) * 1000)';
      const [row] = await inForce(db, projectId).select<{ stored: StoredTuple[] | null }[]>(
        db.raw(`json_agg(json_build_array(jti, subject, ${milliseconds})) AS stored`),
      );
      return (row?.stored ?? []).map(([jti, subject, issuedBeforeMs]) => ({
        jti,
        subject,
        issuedBefore: issuedBeforeMs === null ? null : new Date(issuedBeforeMs),
      }));
    },

    insert,

    /**
     * Refuses the tokens that a user has until now, under a name that does not tell who it was; revocations by the user's
     * own id, which are older, go with it.
     */
    async revokeTokensOfErased(
      trx: Db,
      projectId: string,
      { userId, pseudonym }: { readonly userId: string; readonly pseudonym: string },
    ): Promise<void> {
      await trx('token_revocations').where({ project_id: projectId, subject: userId }).delete();
      await insert(trx, projectId, {
        jti: null,
        subject: `${ERASED_USER_PREFIX}${pseudonym}`,
        issuedBefore: null,
      });
    },

    async countInForce(trx: Db, projectId: string): Promise<number> {
      const [row] = await inForce(trx, projectId).count({ total: '*' });
      return Number(row?.total ?? 0);
    },

    async find(projectId: string, id: string): Promise<Revocation | undefined> {
      const row = await inForce(db, projectId).where({ id }).first();
      return row && fromRow(row);
    },

    async list(filter: {
      projectId: string;
      beforeId: string | undefined;
      limit: number;
    }): Promise<Revocation[]> {
      const query = inForce(db, filter.projectId);
      if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
      return (await query.orderBy('id', 'desc').limit(filter.limit).select('*')).map(fromRow);
    },

    /** The revocation as it was; undefined when there is none. */
    async remove(trx: Db, projectId: string, id: string): Promise<Revocation | undefined> {
      const [row] = await inForce(trx, projectId).where({ id }).delete().returning('*');
      if (row === undefined) return undefined;
      await noteChange(trx, projectId);
      return fromRow(row);
    },

    /** Forgets revocations that concern no token which can be alive; answers how many. */
    async purgeOfAnyProject(signal: AbortSignal): Promise<number> {
      let purged = 0;
      while (!signal.aborted) {
        const batch = db('token_revocations')
          .where('expires_at', '<=', db.fn.now())
          .limit(PURGED_AT_ONCE)
          .select('id');
        const erased = await db('token_revocations').whereIn('id', batch).delete();
        purged += erased;
        if (erased < PURGED_AT_ONCE) break;
      }
      return purged;
    },
  };
}

/** The caller has locked the project. `issuedBefore` null stands for now, except for a single token. */
async function insert(
  trx: Db,
  projectId: string,
  { jti, subject, issuedBefore }: StoredRevocation,
): Promise<Revocation> {
  const [row] = await trx<Row>('token_revocations')
    .insert({
      id: newId(),
      project_id: projectId,
      jti,
      subject,
      issued_before: jti === null ? (issuedBefore ?? trx.fn.now()) : null,
      expires_at: trx.raw(`now() + ${LIFETIME}`),
    })
    .returning('*');
  if (row === undefined) throw new Error('an inserted revocation was not returned');
  await noteChange(trx, projectId);
  return fromRow(row);
}

function inForce(db: Db, projectId: string) {
  return db<Row>('token_revocations').where({ project_id: projectId }).where('expires_at', '>', db.fn.now());
}

/** Not the version that callers see as ETag: nothing that they could change has changed. */
async function noteChange(trx: Db, projectId: string): Promise<void> {
  await trx('projects')
    .where({ id: projectId })
    .update({ revocations_version: trx.raw('revocations_version + 1') });
}

function fromRow(row: Row): Revocation {
  return {
    id: row.id,
    projectId: row.project_id,
    jti: row.jti,
    subject: row.subject,
    issuedBefore: row.issued_before,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
