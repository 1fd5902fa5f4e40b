import type { Knex } from 'knex';
import type { Db } from '../platform/postgres/database.ts';
import type { Approval, ApprovalState, DeciderKind, Decision } from './approval.ts';

type Row = {
  id: string;
  project_id: string;
  end_user_id: string;
  subject: string;
  account_name: string | null;
  integration_id: string;
  connection_id: string;
  provider: string;
  method: string;
  mode: 'once' | 'each';
  state: ApprovalState;
  call_mark: string;
  entry_hash: Buffer;
  call_sealed: string | null;
  created_at: Date;
  expires_at: Date;
  decided_at: Date | null;
  decided_by_kind: DeciderKind | null;
  decided_by_id: string | null;
  ended_at: Date | null;
};

export type NewApproval = Pick<
  Approval,
  'projectId' | 'endUserId' | 'integrationId' | 'connectionId' | 'provider' | 'method' | 'mode'
> &
  Pick<Approval, 'callMark' | 'entryHash'> & {
    readonly id: string;
    readonly callSealed: string;
    readonly bodySealed: string | null;
    readonly bytes: number;
  };

export type ApprovalFilter = {
  readonly projectIds: readonly string[];
  readonly endUserId?: string | undefined;
  readonly userId?: string | undefined;
  readonly state?: ApprovalState | undefined;
  readonly beforeId: string | undefined;
  readonly limit: number;
};

/** How many wait in a project, and the bytes of these; and how many of one user. */
export type Waiting = { readonly ofProject: number; readonly bytes: number; readonly ofUser: number };

/** A call waits so long for a decision, and as long at most for being sent. */
const LIFETIME = `interval '15 minutes'`;
/** Time to repeat the call that an approval brings, whenever it comes. */
const AFTER_DECISION = `interval '5 minutes'`;
const EXPIRED_AT_ONCE = 200;
const PURGED_AT_ONCE = 1_000;
const COLUMNS = [
  ...['id', 'project_id', 'end_user_id', 'integration_id', 'connection_id', 'provider', 'method', 'mode'],
  ...['call_mark', 'entry_hash', 'call_sealed', 'created_at', 'expires_at', 'decided_at'],
  ...['decided_by_kind', 'decided_by_id', 'ended_at'],
].map((name) => `a.${name}`);

/** What has run out counts as expired, whether or not the chore has been there. */
const STATE = `CASE WHEN a.ended_at IS NULL AND a.expires_at <= now() THEN 'expired' ELSE a.state END`;
/** The call of what has run out is not shown any more. */
const CALL = `CASE WHEN a.ended_at IS NULL AND a.expires_at <= now() THEN NULL ELSE a.call_sealed END`;

export type ApprovalsStore = typeof approvalsStore;

/** SQL over approvals. Each step is one conditional statement: of racing ones in all processes one wins. */
export const approvalsStore = {
  insert,
  find,
  findOfAnyProject,
  findOfUser,
  findLike,
  readBody,
  list,
  countWaiting,
  decide,
  claim,
  isOpened,
  expireOfAnyProject,
  purgeOfAnyProject,
};

async function insert(trx: Db, approval: NewApproval): Promise<Date> {
  const { rows } = await trx.raw<{ rows: { expires_at: Date }[] }>(
    `INSERT INTO approvals (id, project_id, end_user_id, integration_id, connection_id, provider, method, mode,
       call_mark, entry_hash, call_sealed, body_sealed, bytes, expires_at)
     VALUES (:id, :projectId, :endUserId, :integrationId, :connectionId, :provider, :method, :mode,
       :callMark, :entryHash, :callSealed, :bodySealed, :bytes, now() + ${LIFETIME})
     RETURNING expires_at`,
    { ...approval },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an inserted approval was not returned');
  return row.expires_at;
}

function select(db: Db): Knex.QueryBuilder {
  return db('approvals AS a')
    .join('end_users AS u', { 'u.id': 'a.end_user_id', 'u.project_id': 'a.project_id' })
    .join('connections AS c', { 'c.id': 'a.connection_id', 'c.project_id': 'a.project_id' })
    .select([
      ...COLUMNS,
      'u.subject',
      'c.account_name',
      db.raw(`${STATE} AS state`),
      db.raw(`${CALL} AS call_sealed`),
    ]);
}

async function find(db: Db, id: string, projectIds: readonly string[]): Promise<Approval | undefined> {
  return first(
    select(db)
      .where('a.id', id)
      .whereIn('a.project_id', [...projectIds]),
  );
}

/** For the page of a browser whose cookie is the authority. */
async function findOfAnyProject(db: Db, id: string): Promise<Approval | undefined> {
  return first(select(db).where('a.id', id));
}

async function findOfUser(
  db: Db,
  id: string,
  { projectId, endUserId }: Pick<Approval, 'projectId' | 'endUserId'>,
): Promise<Approval | undefined> {
  return first(select(db).where({ 'a.id': id, 'a.project_id': projectId, 'a.end_user_id': endUserId }));
}

/** The latest question about the same call that waits, was approved, or was refused a short time ago; `any`: whatever became of it. */
async function findLike(
  db: Db,
  { projectId, endUserId }: Pick<Approval, 'projectId' | 'endUserId'>,
  marks: readonly string[],
  which?: 'any',
): Promise<Approval | undefined> {
  const like = select(db)
    .where({ 'a.project_id': projectId, 'a.end_user_id': endUserId })
    .whereIn('a.call_mark', [...marks])
    .orderBy('a.id', 'desc');
  if (which === undefined)
    like.whereIn('a.state', ['pending', 'approved', 'rejected']).where('a.expires_at', '>', db.fn.now());
  return first(like);
}

/** The sealed body while the call is kept. */
async function readBody(
  db: Db,
  { id, projectId }: Pick<Approval, 'id' | 'projectId'>,
): Promise<string | null> {
  const row = await db('approvals')
    .where({ id, project_id: projectId })
    .first<{ body_sealed: string | null } | undefined>('body_sealed');
  return row?.body_sealed ?? null;
}

async function list(db: Db, filter: ApprovalFilter): Promise<Approval[]> {
  const query = select(db).whereIn('a.project_id', [...filter.projectIds]);
  if (filter.endUserId !== undefined) query.where('a.end_user_id', filter.endUserId);
  if (filter.userId !== undefined) query.where('u.subject', filter.userId);
  if (filter.state !== undefined) query.whereRaw(`${STATE} = ?`, [filter.state]);
  if (filter.beforeId !== undefined) query.where('a.id', '<', filter.beforeId);
  const rows: Row[] = await query.orderBy('a.id', 'desc').limit(filter.limit);
  return rows.map(fromRow);
}

async function countWaiting(
  trx: Db,
  { projectId, endUserId }: Pick<Approval, 'projectId' | 'endUserId'>,
): Promise<Waiting> {
  const { rows } = await trx.raw<{ rows: Waiting[] }>(
    `SELECT count(*)::integer AS "ofProject", coalesce(sum(bytes), 0)::integer AS bytes,
       (count(*) FILTER (WHERE end_user_id = :endUserId))::integer AS "ofUser"
     FROM approvals WHERE project_id = :projectId AND ended_at IS NULL AND expires_at > now()`,
    { projectId, endUserId },
  );
  return rows[0] ?? { ofProject: 0, bytes: 0, ofUser: 0 };
}

/** False where it is too late. What was approved and not sent yet may still be refused. */
async function decide(
  trx: Db,
  { id, projectId }: Pick<Approval, 'id' | 'projectId'>,
  decision: Decision,
  by: NonNullable<Approval['decidedBy']>,
): Promise<boolean> {
  const decided = { decided_at: trx.fn.now(), decided_by_kind: by.kind, decided_by_id: by.id };
  const live = trx('approvals').where({ id, project_id: projectId }).where('expires_at', '>', trx.fn.now());
  if (decision === 'approved') {
    const changed = await live.where({ state: 'pending' }).update({
      state: 'approved',
      ...decided,
      expires_at: trx.raw(`greatest(expires_at, now() + ${AFTER_DECISION})`),
    });
    return changed > 0;
  }
  const changed = await live
    .whereIn('state', ['pending', 'approved'])
    .update({ state: 'rejected', ...decided, ...ended(trx) });
  return changed > 0;
}

/** True for the one claim that may send the call. `opens`: the token for which the entry is open from now on. */
async function claim(
  trx: Db,
  { id, projectId }: Pick<Approval, 'id' | 'projectId'>,
  opens: { readonly tokenHash: Buffer; readonly until: Date } | undefined,
): Promise<boolean> {
  const changed = await trx('approvals')
    .where({ id, project_id: projectId, state: 'approved' })
    .where('expires_at', '>', trx.fn.now())
    .update({
      state: 'used',
      ...ended(trx),
      ...(opens && { opened_token_hash: opens.tokenHash, opened_until: opens.until }),
    });
  return changed > 0;
}

function ended(trx: Db) {
  return { ended_at: trx.fn.now(), call_sealed: null, body_sealed: null };
}

/** Until when the entry is open for the token; undefined where it is not. */
async function isOpened(
  db: Db,
  opening: Pick<Approval, 'projectId' | 'endUserId' | 'entryHash'> & { readonly tokenHash: Buffer },
): Promise<Date | undefined> {
  const row = await db('approvals')
    .where({ opened_token_hash: opening.tokenHash, project_id: opening.projectId })
    .where({ end_user_id: opening.endUserId, entry_hash: opening.entryHash })
    .where('opened_until', '>', db.fn.now())
    .first<{ opened_until: Date } | undefined>('opened_until');
  return row?.opened_until;
}

/** Ends what has run out, some at a time, and answers it. */
async function expireOfAnyProject(trx: Db): Promise<Omit<Approval, 'userId' | 'accountName'>[]> {
  const due = trx('approvals')
    .whereNull('ended_at')
    .where('expires_at', '<=', trx.fn.now())
    .orderBy('expires_at')
    .limit(EXPIRED_AT_ONCE)
    .forUpdate()
    .skipLocked()
    .select('id');
  const rows: Row[] = await trx('approvals')
    .whereIn('id', due)
    .whereNull('ended_at')
    .update({ state: 'expired', ...ended(trx) })
    .returning('*');
  return rows.map(fromRow);
}

/** Forgets what ended a day ago, once the entry that it opened is closed again. */
async function purgeOfAnyProject(db: Db, signal: AbortSignal): Promise<void> {
  for (let purged = PURGED_AT_ONCE; purged === PURGED_AT_ONCE && !signal.aborted; ) {
    const old = db('approvals')
      .where('ended_at', '<', db.raw(`now() - interval '1 day'`))
      .where((open) => open.whereNull('opened_until').orWhere('opened_until', '<', db.fn.now()))
      .limit(PURGED_AT_ONCE)
      .select('id');
    purged = await db('approvals').whereIn('id', old).delete();
  }
}

async function first(query: Knex.QueryBuilder): Promise<Approval | undefined> {
  const row: Row | undefined = await query.first();
  return row && fromRow(row);
}

function fromRow(row: Row): Approval {
  return {
    id: row.id,
    projectId: row.project_id,
    endUserId: row.end_user_id,
    userId: row.subject,
    integrationId: row.integration_id,
    connectionId: row.connection_id,
    accountName: row.account_name,
    provider: row.provider,
    method: row.method,
    mode: row.mode,
    state: row.state,
    callMark: row.call_mark,
    entryHash: row.entry_hash,
    callSealed: row.call_sealed,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by_kind && { kind: row.decided_by_kind, id: row.decided_by_id ?? '' },
    endedAt: row.ended_at,
  };
}
