import { newId } from '../../lib/ids.ts';
import { createOpaqueToken } from '../../lib/opaque-tokens.ts';
import type { Db } from '../../platform/postgres/database.ts';

export const SESSION_LIFETIME_SECONDS = 7 * 24 * 60 * 60;
const SESSION_IDLE_SECONDS = 12 * 60 * 60;
const USER_AGENT_LENGTH_MAX = 300;
/** A trusted proxy may send text that is no address. */
const ADDRESS_LENGTH_MAX = 64;

type Row = {
  id: string;
  operator_id: string;
  token_hash: Buffer;
  source_address: string | null;
  user_agent: string | null;
  created_at: Date;
  last_used_at: Date;
  /** When the operator proved to be there; the session may be younger. */
  proved_at: Date | null;
  expires_at: Date;
};

type TimedRow = Pick<Row, 'id' | 'operator_id' | 'token_hash'> & { is_expired: boolean };

/** A session of an operator's browser; the token in its cookie is not kept. */
export type Session = Readonly<{
  id: string;
  operatorId: string;
  sourceAddress: string | null;
  userAgent: string | null;
  createdAt: Date;
  lastUsedAt: Date;
  /** When it ends unless it is used; never later than seven days after its begin. */
  expiresAt: Date;
}>;

export type ProvedAt = Date | null | 'now';

type FoundSession = {
  readonly sessionId: string;
  readonly operatorId: string;
  readonly isExpired: boolean;
};

export type SessionsStore = ReturnType<typeof createSessionsStore>;

const IS_EXPIRED = `(expires_at <= now() OR last_used_at <= now() - interval '${SESSION_IDLE_SECONDS} seconds')`;

export function createSessionsStore({ db }: { db: Db }) {
  async function findSessions(hashes: readonly Buffer[]): Promise<Map<string, FoundSession>> {
    const rows: TimedRow[] = await db('operator_sessions')
      .whereIn('token_hash', hashes)
      .select('id', 'operator_id', 'token_hash', db.raw(`${IS_EXPIRED} AS is_expired`));
    return new Map(
      rows.map((row) => [
        row.token_hash.toString('hex'),
        { sessionId: row.id, operatorId: row.operator_id, isExpired: row.is_expired },
      ]),
    );
  }

  return {
    /** By the SHA-256 of their tokens, expired ones too; in a map by the hash in hexadecimal. */
    findSessions,

    async findSession(hash: Buffer): Promise<FoundSession | undefined> {
      return (await findSessions([hash])).get(hash.toString('hex'));
    },

    /** The session and its token, which can be read only here. `provedAt` says when the operator proved to be there. */
    async insert(
      trx: Db,
      made: Pick<Session, 'operatorId' | 'sourceAddress' | 'userAgent'> & { provedAt: ProvedAt },
    ): Promise<{ session: Session; token: string }> {
      const { operatorId, sourceAddress, userAgent, provedAt } = made;
      const { token, hash } = createOpaqueToken('');
      const [row] = await trx<Row>('operator_sessions')
        .insert({
          id: newId(),
          operator_id: operatorId,
          token_hash: hash,
          source_address: sourceAddress?.slice(0, ADDRESS_LENGTH_MAX) ?? null,
          user_agent: userAgent?.slice(0, USER_AGENT_LENGTH_MAX) ?? null,
          proved_at: provedAt === 'now' ? trx.raw('now()') : provedAt,
          expires_at: trx.raw(`now() + interval '${SESSION_LIFETIME_SECONDS} seconds'`),
        })
        .returning('*');
      if (row === undefined) throw new Error('an inserted session was not returned');
      return { session: fromRow(row), token };
    },

    /** When the operator of a session proved to be there; null where that is not known. */
    async findProvedAt(on: Db, operatorId: string, id: string): Promise<Date | null> {
      const row = await on<Row>('operator_sessions')
        .where({ operator_id: operatorId, id })
        .first('proved_at');
      return row?.proved_at ?? null;
    },

    /** Whether the operator of the session proved to be there within the last so many minutes. */
    async isProvedWithin(minutes: number, operatorId: string, id: string): Promise<boolean> {
      const row = await db<Row>('operator_sessions')
        .where({ operator_id: operatorId, id })
        .whereRaw('proved_at > now() - make_interval(mins => ?)', [minutes])
        .first('id');
      return row !== undefined;
    },

    /** The operator's sessions that have not ended, newest first. */
    async list(filter: {
      operatorId: string;
      beforeId: string | undefined;
      limit: number;
    }): Promise<Session[]> {
      const query = db<Row>('operator_sessions')
        .where({ operator_id: filter.operatorId })
        .whereRaw(`NOT ${IS_EXPIRED}`);
      if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
      return (await query.orderBy('id', 'desc').limit(filter.limit).select('*')).map(fromRow);
    },

    /** False where the operator has no such session. */
    async remove(trx: Db, operatorId: string, id: string): Promise<boolean> {
      return (await trx<Row>('operator_sessions').where({ operator_id: operatorId, id }).delete()) > 0;
    },

    /** Ends the session of a cookie, whosever it is. */
    async removeByHash(trx: Db, tokenHash: Buffer): Promise<void> {
      await trx<Row>('operator_sessions').where({ token_hash: tokenHash }).delete();
    },

    /** Ends every session of the operator; answers how many. */
    async removeAll(trx: Db, operatorId: string): Promise<number> {
      return trx<Row>('operator_sessions').where({ operator_id: operatorId }).delete();
    },

    async purgeOfAnyOperator(): Promise<void> {
      await db('operator_sessions').whereRaw(IS_EXPIRED).delete();
    },
  };
}

function fromRow(row: Row): Session {
  const idleEnd = row.last_used_at.getTime() + SESSION_IDLE_SECONDS * 1_000;
  return {
    id: row.id,
    operatorId: row.operator_id,
    sourceAddress: row.source_address,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: new Date(Math.min(row.expires_at.getTime(), idleEnd)),
  };
}
