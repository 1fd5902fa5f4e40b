import type { Knex } from 'knex';

/** Columns of a query: whose it is, and since when they have it. */
type Columns = { readonly projectId: string; readonly subject: string; readonly since: string };

/**
 * Leaves out what a user has had since before a revocation of their tokens, or of all: a page that is open in a browser ends
 * as the tokens do.
 */
export function whereUnrevoked(query: Knex.QueryBuilder, { projectId, subject, since }: Columns): void {
  query.whereRaw(
    `NOT EXISTS (SELECT 1 FROM token_revocations AS r
       WHERE r.project_id = ${projectId} AND r.jti IS NULL AND r.expires_at > now()
         AND (r.subject IS NULL OR r.subject = ${subject}) AND ${since} < r.issued_before)`,
  );
}
