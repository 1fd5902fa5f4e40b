import { z } from 'zod';
import { CHANGE_CHANNEL } from '../change-notices.ts';
import type { Db } from '../postgres/database.ts';

const BATCH_MAX = 1_000;
const NOTICES = z.array(z.object({ payload: z.string() }));
const STATE = z.tuple([z.object({ is_relaying: z.boolean().nullable() })]);

/** SQL over the notices that triggers write down while they are relayed, and the word that they are. */
export const relayStore = {
  /** Takes notices that wait; they are gone with the end of the transaction. */
  async take(trx: Db): Promise<string[]> {
    const { rows } = await trx.raw(
      `DELETE FROM change_notices WHERE id = ANY (ARRAY(
         SELECT id FROM change_notices ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED)) RETURNING payload`,
      [BATCH_MAX],
    );
    return NOTICES.parse(rows).map(({ payload }) => payload);
  },

  async hasAny(db: Db): Promise<boolean> {
    const { rows } = await db.raw('SELECT 1 FROM change_notices LIMIT 1');
    return rows.length > 0;
  },

  async notify(trx: Db, payloads: readonly string[]): Promise<void> {
    await trx.raw('SELECT pg_notify(?, payload) FROM unnest(?::text[]) AS payload', [
      CHANGE_CHANNEL,
      [...payloads],
    ]);
  },

  /** Has triggers write notices down for the next three seconds; 0: from now on they notify by themselves. */
  async setRelayed(db: Db, seconds: number): Promise<void> {
    await db.raw(
      `INSERT INTO change_carrier (id, relayed_until) VALUES (1, clock_timestamp() + make_interval(secs => ?))
       ON CONFLICT (id) DO UPDATE SET relayed_until = excluded.relayed_until
         WHERE change_carrier.relayed_until > clock_timestamp() OR ?`,
      [seconds, seconds > 0],
    );
  },

  async isRelayed(db: Db): Promise<boolean> {
    const { rows } = await db.raw(
      'SELECT coalesce((SELECT relayed_until > clock_timestamp() FROM change_carrier WHERE id = 1), false) AS is_relaying',
    );
    return STATE.parse(rows)[0].is_relaying === true;
  },
};
