import type { Knex } from 'knex';

/**
 * Who owns the gateway itself, which is more than to own a project. Of the operators from before these are the first one, and
 * the owners of the first project whose address is verified, so that a gateway whose first operator is gone keeps one.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE operators ADD COLUMN gateway_owner_since timestamptz;
UPDATE operators o SET gateway_owner_since = now()
 WHERE o.id = (SELECT id FROM operators ORDER BY id LIMIT 1)
    OR (o.email_verified_at IS NOT NULL
        AND EXISTS (SELECT 1 FROM project_members m
                     WHERE m.operator_id = o.id AND m.role = 'owner'
                       AND m.project_id = (SELECT id FROM projects ORDER BY id LIMIT 1)));`);
}
