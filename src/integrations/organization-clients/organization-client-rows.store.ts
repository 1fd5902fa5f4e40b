import type { Db } from '../../platform/postgres/database.ts';
import type { Integration } from '../integration.ts';
import type { OrganizationClient } from './organization-client.ts';
import type { SealedColumns } from './organization-secrets.store.ts';

export type OrganizationClientRow = SealedColumns & {
  id: string;
  handle: string;
  project_id: string;
  integration_id: string;
  end_user_id: string;
  organization: string;
  client_id: string;
  variables: Record<string, string>;
  scopes: string[] | null;
  version: number;
  worked_at: Date | null;
  refused_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

export type ClientOwner = Pick<Integration, 'id' | 'projectId'>;

/** Every version, those that are out of use as well. */
export function selectVersions(db: Db, { id, projectId }: ClientOwner) {
  return db('organization_clients AS o')
    .join('end_users AS u', { 'u.id': 'o.end_user_id', 'u.project_id': 'o.project_id' })
    .where({ 'o.integration_id': id, 'o.project_id': projectId })
    .select<OrganizationClientRow[]>('o.*', 'u.organization');
}

export const selectCurrent = (db: Db, owner: ClientOwner) =>
  selectVersions(db, owner).whereNull('o.retired_at');

export async function readFirst(
  query: PromiseLike<readonly OrganizationClientRow[]>,
): Promise<OrganizationClient | undefined> {
  const [row] = await query;
  return row && readRow(row);
}

export function readRow(row: OrganizationClientRow): OrganizationClient {
  return {
    versionId: row.id,
    id: row.handle,
    projectId: row.project_id,
    integrationId: row.integration_id,
    endUserId: row.end_user_id,
    organization: row.organization,
    clientId: row.client_id,
    hasSecret: row.client_secret_sealed !== null,
    variables: row.variables,
    scopes: row.scopes,
    version: row.version,
    workedAt: row.worked_at,
    refusedAt: row.refused_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
