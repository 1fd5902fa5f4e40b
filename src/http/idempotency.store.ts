import type { Knex } from 'knex';
import { z } from 'zod';
import type { Claim, ClaimResult, IdempotencyStore, IdempotentRequest, Reply } from './idempotency.ts';

/** Seals and opens text for one row, which the row's id is bound to. */
export type Seals = {
  readonly seal: (plaintext: string, rowId: string) => string;
  readonly open: (sealed: string, rowId: string) => string;
};

type IdempotencyRows = IdempotencyStore & {
  /** Deletes rows older than 24 hours; answers how many. To be called now and then. */
  deleteExpired(): Promise<number>;
};

type Row = { request_hash: Buffer; status: number | null; reply_sealed: string | null; claim_id: string };

const replySchema = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string().optional(),
});

/**
 * Inserts the claim, or takes over one that has expired or crashed (no reply after 60 s). The time of the claim, to
 * the microsecond, tells it from a later one: a request that comes back to life after its claim was taken over
 * changes nothing.
 */
const CLAIM = `
INSERT INTO idempotency_keys AS held (principal, key, request_hash) VALUES (?, ?, ?)
ON CONFLICT (principal, key) DO UPDATE
  SET request_hash = EXCLUDED.request_hash, status = NULL, reply_sealed = NULL, created_at = now()
  WHERE held.created_at < now() - interval '24 hours'
     OR (held.status IS NULL AND held.request_hash = EXCLUDED.request_hash
         AND held.created_at < now() - interval '60 seconds')
RETURNING request_hash, status, reply_sealed, created_at::text AS claim_id`;

const FIND = `
SELECT request_hash, status, reply_sealed, created_at::text AS claim_id
FROM idempotency_keys WHERE principal = ? AND key = ?`;

const OWN_CLAIM = 'principal = ? AND key = ? AND status IS NULL AND created_at = ?::timestamptz';

/** First replies in Postgres, sealed, since a reply may hold a secret that is shown once. */
export function createIdempotencyStore(deps: { db: Knex } & Seals): IdempotencyRows {
  const { db, seal, open } = deps;

  async function claim(request: IdempotentRequest): Promise<ClaimResult> {
    const { scope, key, requestHash } = request;
    const claimed = await db.raw<{ rows: Row[] }>(CLAIM, [scope, key, requestHash]);
    const mine = claimed.rows[0];
    if (mine) return { state: 'claimed', claim: { ...request, claimId: mine.claim_id } };
    const found = await db.raw<{ rows: Row[] }>(FIND, [scope, key]);
    const held = found.rows[0];
    // Released between the two statements: the caller may come again at once.
    if (!held) return { state: 'running' };
    if (!held.request_hash.equals(requestHash)) return { state: 'other_request' };
    if (held.status === null || held.reply_sealed === null) return { state: 'running' };
    return { state: 'completed', reply: openReply(held.reply_sealed, rowId(request)) };
  }

  async function complete(done: Claim, reply: Reply): Promise<void> {
    const sealed = seal(JSON.stringify(reply), rowId(done));
    await db.raw(`UPDATE idempotency_keys SET status = ?, reply_sealed = ? WHERE ${OWN_CLAIM}`, [
      reply.status,
      sealed,
      done.scope,
      done.key,
      done.claimId,
    ]);
  }

  async function release(given: Claim): Promise<void> {
    await db.raw(`DELETE FROM idempotency_keys WHERE ${OWN_CLAIM}`, [given.scope, given.key, given.claimId]);
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

  return { claim, complete, release, deleteExpired };
}

function rowId(request: IdempotentRequest): string {
  return `${request.scope} ${request.key}`;
}
