/** SQL: whether the API key in the column `id`, of the project in the column `projectId`, is not revoked. It may have expired. */
export function isKeyUnrevoked(columns: { readonly id: string; readonly projectId: string }): string {
  return `EXISTS (SELECT 1 FROM api_keys AS k
    WHERE k.id = ${columns.id} AND k.project_id = ${columns.projectId} AND k.revoked_at IS NULL)`;
}
