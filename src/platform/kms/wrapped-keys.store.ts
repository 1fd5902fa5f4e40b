import type { Db } from '../postgres/database.ts';
import { listPresent } from '../postgres/presence.ts';

/** A key-encryption key as the store has it. */
export type WrappedKey = {
  readonly id: string;
  /** The entry of ENCRYPTION_KMS that wrapped it. */
  readonly kms: string;
  readonly deployment: string;
  readonly wrapped: string;
  /** `waiting`: it seals nothing before every process holds it. `active`: it seals. `retired`: it opens. */
  readonly state: 'waiting' | 'active' | 'retired';
};

type NewKey = Omit<WrappedKey, 'state'>;

/** So long a new key waits at least: processes whose presence is briefly not seen have it by then. */
const LEAST_WAIT_SECONDS = 60;

/** The newest first. */
export async function listWrappedKeys(db: Db): Promise<WrappedKey[]> {
  return db<WrappedKey>('key_encryption_keys')
    .select('id', 'kms', 'deployment', 'wrapped', 'state')
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]);
}

/**
 * Keeps the first key of a store, and nothing where another process was first. It seals at once where nothing was sealed
 * before and no other key is configured.
 */
export async function insertFirstKey(db: Db, key: NewKey, isOnlyKey: boolean): Promise<void> {
  await db.transaction(async (trx) => {
    await lockKeys(trx);
    await trx.raw(
      `INSERT INTO key_encryption_keys (id, kms, deployment, wrapped, state, activated_at)
       SELECT ?, ?, ?, ?, first.state, CASE first.state WHEN 'active' THEN now() END
         FROM (SELECT CASE WHEN ? AND NOT EXISTS (SELECT FROM vault_canaries)
                           THEN 'active' ELSE 'waiting' END AS state) AS first
        WHERE NOT EXISTS (SELECT FROM key_encryption_keys)`,
      [key.id, key.kms, key.deployment, key.wrapped, isOnlyKey],
    );
  });
}

/** Keeps a key that is to seal next. False where one waits already. */
export async function insertNextKey(db: Db, key: NewKey): Promise<boolean> {
  const inserted = await db('key_encryption_keys')
    .insert({ ...key, state: 'waiting' })
    .onConflict()
    .ignore()
    .returning('id');
  return inserted.length > 0;
}

/** Replaces what wraps a key, unless another process has done so meanwhile. */
export async function replaceWrapping(
  db: Db,
  { id, wrapped: before }: WrappedKey,
  after: { readonly kms: string; readonly wrapped: string },
): Promise<void> {
  await db('key_encryption_keys').where({ id, wrapped: before }).update(after);
}

/** Says that this process can open what the key seals. */
export async function noteHolder(db: Db, keyId: string, processKey: number): Promise<void> {
  await db('key_holders').insert({ key_id: keyId, process_key: processKey }).onConflict().ignore();
}

/**
 * Lets the waiting key seal once every living process holds it; the one before opens from then on. A process that starts
 * meanwhile reads the keys after it has shown itself. Answers whether it was this call that did it.
 */
export async function activateKey(db: Db, keyId: string): Promise<boolean> {
  if (!(await isHeldByAll(db, keyId))) return false;
  return db.transaction(async (trx) => {
    await lockKeys(trx);
    const waiting = await trx('key_encryption_keys').where({ id: keyId, state: 'waiting' }).first('id');
    if (waiting === undefined || !(await isHeldByAll(trx, keyId))) return false;
    await trx('key_encryption_keys').where({ state: 'active' }).update({ state: 'retired' });
    await trx('key_encryption_keys')
      .where({ id: keyId })
      .update({ state: 'active', activated_at: trx.fn.now() });
    await trx('key_holders').where({ key_id: keyId }).delete();
    return true;
  });
}

async function isHeldByAll(db: Db, keyId: string): Promise<boolean> {
  const hasWaited = await db('key_encryption_keys')
    .where({ id: keyId })
    .andWhereRaw(`created_at <= now() - make_interval(secs => ${LEAST_WAIT_SECONDS})`)
    .first('id');
  if (hasWaited === undefined) return false;
  const holders = new Set<string>(
    (await db('key_holders').where({ key_id: keyId }).pluck('process_key')).map(String),
  );
  const present = await listPresent(db);
  return present.length > 0 && present.every(({ id }) => holders.has(id));
}

async function lockKeys(trx: Db): Promise<void> {
  await trx.raw('LOCK TABLE key_encryption_keys IN SHARE ROW EXCLUSIVE MODE');
}
