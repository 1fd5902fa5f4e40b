import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Found, IdempotencyStore, IdempotentRequest, Reply } from './idempotency.ts';

/** Seals and opens text for one row, which the row's id is bound to. */
export type Seals = {
  readonly seal: (plaintext: string, rowId: string) => string;
  readonly open: (sealed: string, rowId: string) => string;
};

/** What may be kept for one principal, the newest: replies, and keys whose replies were forgotten. */
export type OwnerLimits = { readonly replies: number; readonly bytes: number; readonly keys: number };

type IdempotencyRows = IdempotencyStore & {
  /** Deletes rows older than 24 hours; answers how many. To be called now and then. */
  deleteExpired(): Promise<number>;
};

type Row = {
  request_hash: Buffer;
  status: number | null;
  reply_sealed: string | null;
  claim_seconds_left: number;
};

const replySchema = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string().optional(),
});

/**
 * Retries come within minutes and want the reply. What comes hours later is a program that begins once more, such as an import, which
 * must not do its work twice: a key alone takes some 150 bytes.
 */
const OWNER_LIMITS: OwnerLimits = { replies: 10_000, bytes: 16 * 1024 * 1024, keys: 200_000 };
const OWNERS_COUNTED_MAX = 10_000;
/** A share of the limits; this much may be kept beyond them before old replies are deleted. */
const TRIM_AFTER = 0.1;

/**
 * A row without a status is a claim of the release before, which inserted one before it did its work and took it for
 * crashed after 60 s. One with a status of success and no reply says that the work was done.
 */
const FIND = `
SELECT request_hash, status, reply_sealed,
  ceil(extract(epoch FROM created_at + interval '60 seconds' - now()))::integer AS claim_seconds_left
FROM idempotency_keys
WHERE principal = ? AND key = ? AND created_at >= now() - interval '24 hours'`;

const KEEP = `
INSERT INTO idempotency_keys (principal, key, owner, request_hash, status, reply_sealed, reply_bytes)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (principal, key) DO UPDATE
  SET owner = EXCLUDED.owner, request_hash = EXCLUDED.request_hash, status = EXCLUDED.status,
    reply_sealed = EXCLUDED.reply_sealed, reply_bytes = EXCLUDED.reply_bytes, created_at = now()`;

const FORGET_REPLIES = `
UPDATE idempotency_keys AS kept SET reply_sealed = NULL, reply_bytes = 0 FROM (
  SELECT principal, key, row_number() OVER newest AS place, sum(reply_bytes) OVER newest AS bytes
  FROM idempotency_keys WHERE owner = ? AND reply_sealed IS NOT NULL AND status IS NOT NULL
  WINDOW newest AS (ORDER BY created_at DESC, key)
) AS counted
WHERE kept.principal = counted.principal AND kept.key = counted.key
  AND (counted.place > ? OR counted.bytes > ?)`;

const FORGET_KEYS = `
DELETE FROM idempotency_keys WHERE owner = ? AND created_at <= (
  SELECT created_at FROM idempotency_keys WHERE owner = ? ORDER BY created_at DESC OFFSET ? LIMIT 1)`;

/** First replies in Postgres, sealed, since a reply may hold a secret that is shown once. */
export function createIdempotencyStore(deps: { db: Knex; limits?: OwnerLimits } & Seals): IdempotencyRows {
  const { db, seal, open, limits = OWNER_LIMITS } = deps;
  /** What this process has kept for an owner since it last trimmed. */
  const untrimmed = new LRUCache<string, { replies: number; bytes: number }>(entriesUpTo(OWNERS_COUNTED_MAX));

  async function find(on: Db, request: IdempotentRequest): Promise<Found> {
    const { scope, key, requestHash } = request;
    const { rows } = await on.raw<{ rows: Row[] }>(FIND, [scope, key]);
    const [row] = rows;
    if (!row) return { state: 'free' };
    const isClaim = row.status === null;
    if (isClaim && row.claim_seconds_left <= 0) return { state: 'free' };
    if (!row.request_hash.equals(requestHash)) return { state: 'other_request' };
    if (isClaim) return { state: 'running', retryAfterSeconds: row.claim_seconds_left };
    if (row.reply_sealed === null) {
      const hasDoneNothing = request.changesNothing || (row.status ?? 0) >= 400;
      return { state: hasDoneNothing ? 'free' : 'forgotten' };
    }
    return { state: 'completed', reply: openReply(row.reply_sealed, rowId(request)) };
  }

  /** The lock ends with the transaction, also where its process or its connection ends: nothing is left to wait for. */
  async function take(trx: Db, request: IdempotentRequest): Promise<Found> {
    const { rows } = await trx.raw<{ rows: { taken: boolean }[] }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0)) AS taken',
      [`idempotency ${rowId(request)}`],
    );
    if (rows[0]?.taken !== true) return { state: 'running', retryAfterSeconds: 1 };
    // A statement of its own, or it would not see what was committed just before the lock was free.
    return find(trx, request);
  }

  async function keep(trx: Db, request: IdempotentRequest, reply: Reply): Promise<void> {
    const { scope, key, owner, requestHash } = request;
    const sealed = seal(JSON.stringify(reply), rowId(request));
    await trx.raw(KEEP, [scope, key, owner, requestHash, reply.status, sealed, sealed.length]);
    const counted = untrimmed.get(owner) ?? { replies: 0, bytes: 0 };
    untrimmed.set(owner, { replies: counted.replies + 1, bytes: counted.bytes + sealed.length });
  }

  function trim({ owner }: IdempotentRequest): void {
    const counted = untrimmed.get(owner);
    if (!counted) return;
    const isEnough =
      counted.replies >= limits.replies * TRIM_AFTER || counted.bytes >= limits.bytes * TRIM_AFTER;
    if (!isEnough) return;
    untrimmed.delete(owner);
    // The caller has its answer, and what cannot be deleted now is deleted another time.
    db.raw(FORGET_REPLIES, [owner, limits.replies, limits.bytes])
      .then(() => db.raw(FORGET_KEYS, [owner, owner, limits.keys]))
      .catch(() => undefined);
  }

  async function deleteExpired(): Promise<number> {
    const result = await db.raw<{ rowCount: number | null }>(
      "DELETE FROM idempotency_keys WHERE created_at < now() - interval '24 hours'",
    );
    return result.rowCount ?? 0;
  }

  function openReply(sealed: string, id: string): Reply {
    const { status, headers, body } = replySchema.parse(JSON.parse(open(sealed, id)));
    return { status, headers, body };
  }

  return { db, find, take, keep, trim, deleteExpired };
}

function rowId(request: IdempotentRequest): string {
  return `${request.scope} ${request.key}`;
}
