import type { Db } from '../platform/postgres/database.ts';

export type SignInRow = {
  readonly id: string;
  readonly projectId: string;
  readonly browserHash: Buffer;
  readonly personSealed: string;
  /** The person is back in the browser that was sent to the application. */
  readonly isConfirmed: boolean;
};

type Row = {
  id: string;
  project_id: string;
  browser_hash: Buffer;
  person_sealed: string;
  is_confirmed: boolean;
};

const COLUMNS = ['id', 'project_id', 'browser_hash', 'person_sealed', 'is_confirmed'] as const;

/**
 * People on their way through the application's page, or to its OpenID provider. Of any project: the hashes of secrets are
 * the authority.
 */
export const signInsStore = {
  /** Begins, or begins again in the same browser. False where it is another browser's. */
  async begin(
    db: Db,
    signIn: Pick<SignInRow, 'id' | 'projectId' | 'browserHash' | 'personSealed'> & {
      readonly interactionHash: Buffer;
      readonly stateHash: Buffer;
      readonly lifetimeSeconds: number;
    },
  ): Promise<boolean> {
    const { rowCount } = await db.raw(
      `INSERT INTO agent_sign_ins
         (id, project_id, interaction_hash, browser_hash, state_hash, person_sealed, expires_at)
       VALUES (:id, :projectId, :interactionHash, :browserHash, :stateHash, :personSealed,
         now() + make_interval(secs => :lifetimeSeconds))
       ON CONFLICT (interaction_hash) DO UPDATE SET state_hash = excluded.state_hash, handover_hash = NULL,
         id = excluded.id, person_sealed = excluded.person_sealed, is_confirmed = false
       WHERE agent_sign_ins.browser_hash = excluded.browser_hash`,
      { ...signIn },
    );
    return rowCount > 0;
  },

  findByInteraction: (db: Db, hash: Buffer) => first(db, { interaction_hash: hash }),
  findByState: (db: Db, hash: Buffer) => first(db, { state_hash: hash }),

  /** Spends the state. False where it has been spent meanwhile. */
  async setPerson(
    db: Db,
    change: {
      readonly stateHash: Buffer;
      readonly spentHash: Buffer;
      readonly handoverHash: Buffer;
      readonly personSealed: string;
    },
  ): Promise<boolean> {
    const changed = await db('agent_sign_ins').where({ state_hash: change.stateHash }).update({
      state_hash: change.spentHash,
      handover_hash: change.handoverHash,
      person_sealed: change.personSealed,
    });
    return changed > 0;
  },

  /** False where it has been spent meanwhile. */
  async spendState(db: Db, stateHash: Buffer, spentHash: Buffer): Promise<boolean> {
    return (
      (await db('agent_sign_ins').where({ state_hash: stateHash }).update({ state_hash: spentHash })) > 0
    );
  },

  /** Who came back, in the browser that has spent the state. False where it has begun again meanwhile. */
  async settleAttempt(db: Db, spentHash: Buffer, personSealed: string): Promise<boolean> {
    const change = { person_sealed: personSealed, is_confirmed: true };
    return (await db('agent_sign_ins').where({ state_hash: spentHash }).update(change)) > 0;
  },

  /** Takes the hand-over, in the browser in which it began. Undefined where it is another one. */
  async confirm(db: Db, handoverHash: Buffer, browserHash: Buffer): Promise<SignInRow | undefined> {
    const [row] = await db('agent_sign_ins')
      .where({ handover_hash: handoverHash, browser_hash: browserHash })
      .where('expires_at', '>', db.fn.now())
      .update({ handover_hash: null, is_confirmed: true })
      .returning<Row[]>([...COLUMNS]);
    return row && fromRow(row);
  },

  /** False where it was decided before. */
  async remove(trx: Db, id: string): Promise<boolean> {
    return (await trx('agent_sign_ins').where({ id }).delete()) > 0;
  },
};

async function first(db: Db, where: Readonly<Record<string, Buffer>>): Promise<SignInRow | undefined> {
  const row = await db('agent_sign_ins')
    .where(where)
    .where('expires_at', '>', db.fn.now())
    .first<Row | undefined>(...COLUMNS);
  return row && fromRow(row);
}

function fromRow(row: Row): SignInRow {
  return {
    id: row.id,
    projectId: row.project_id,
    browserHash: row.browser_hash,
    personSealed: row.person_sealed,
    isConfirmed: row.is_confirmed,
  };
}
