/**
 * SQL: whether the API key or personal access token in the column `id`, of the owner in the column `ownerId`, vouches for what it
 * has made. A revoked one does not, whatever it was rotated to: who deletes a leaked key has mostly rotated it before. One that has
 * expired does, unless the newest that it was rotated to is revoked.
 */
export function doesVouch(
  table: 'api_keys' | 'personal_access_tokens',
  columns: { readonly id: string; readonly ownerId: string },
): string {
  const owner = table === 'api_keys' ? 'project_id' : 'operator_id';
  return `EXISTS (SELECT 1 FROM ${table} AS k
    WHERE k.id = ${columns.id} AND k.${owner} = ${columns.ownerId} AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now() OR (
        SELECT l.revoked_at IS NULL FROM ${table} AS l
        WHERE l.${owner} = k.${owner} AND coalesce(l.lineage_id, l.id) = coalesce(k.lineage_id, k.id)
        ORDER BY l.created_at DESC LIMIT 1)))`;
}
