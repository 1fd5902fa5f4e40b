import type { Db } from '../../platform/postgres/database.ts';

/** What events of the gateway tell of a connection: no credentials, no metadata. */
export type ConnectionFacts = {
  readonly id: string;
  readonly projectId: string;
  readonly integrationId: string;
  readonly integrationUserId: string;
  readonly userId: string | null;
  readonly organization: string | null;
  readonly serviceProvider: string;
  readonly status: string;
  readonly statusReason: string | null;
  readonly grantedScopes: readonly string[];
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly tenantId: string | null;
  readonly tenantName: string | null;
};

export async function findConnectionFacts(
  db: Db,
  projectId: string,
  id: string,
): Promise<ConnectionFacts | undefined> {
  const [facts] = await db('connections AS c')
    .join('integrations AS i', { 'i.id': 'c.integration_id', 'i.project_id': 'c.project_id' })
    .join('end_users AS u', { 'u.id': 'c.end_user_id', 'u.project_id': 'c.project_id' })
    .where({ 'c.id': id, 'c.project_id': projectId })
    .select<ConnectionFacts[]>({
      id: 'c.id',
      projectId: 'c.project_id',
      integrationId: 'c.integration_id',
      integrationUserId: 'c.end_user_id',
      userId: 'u.subject',
      organization: 'u.organization',
      serviceProvider: 'i.service_provider',
      status: 'c.status',
      statusReason: 'c.status_reason',
      grantedScopes: 'c.granted_scopes',
      accountId: 'c.account_id',
      accountName: 'c.account_name',
      tenantId: 'c.tenant_id',
      tenantName: 'c.tenant_name',
    });
  return facts;
}

/** The application's own id of an owner of connections, in the one that it is. */
export type OwnerNames = { readonly subject: string | null; readonly organization: string | null };

/** The application's own ids of users and organizations, by those of the gateway; without those that are gone. */
export async function findOwnerNames(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, OwnerNames>> {
  const rows: ({ id: string } & OwnerNames)[] = await db('end_users')
    .where({ project_id: projectId })
    .whereIn('id', [...ids])
    .select('id', 'subject', 'organization');
  return new Map(rows.map((row) => [row.id, row]));
}

/** Where connections belong, with the application's own id of who has each. */
export type ConnectionOwner = OwnerNames & {
  readonly integrationId: string;
  readonly integrationUserId: string;
};

/** Without connections that are gone. */
export async function findConnectionOwners(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, ConnectionOwner>> {
  const rows: ({ id: string } & ConnectionOwner)[] = await db('connections AS c')
    .join('end_users AS u', { 'u.id': 'c.end_user_id', 'u.project_id': 'c.project_id' })
    .where('c.project_id', projectId)
    .whereIn('c.id', [...ids])
    .select({
      id: 'c.id',
      integrationId: 'c.integration_id',
      integrationUserId: 'c.end_user_id',
      subject: 'u.subject',
      organization: 'u.organization',
    });
  return new Map(rows.map((row) => [row.id, row]));
}
