import type { Knex } from 'knex';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import {
  type Connection,
  type ConnectionRow,
  type ConnectionStatus,
  fromRow,
  type Grant,
} from './connection.ts';
import { createConnectionGrantsStore } from './connection-grants.store.ts';
import { countByIntegration, countOfIntegration, countOfProject } from './connections-counts.store.ts';
import { findByBeginning } from './connections-search.store.ts';

export type ConnectionFilter = {
  projectIds: readonly string[];
  endUserIds?: readonly string[] | undefined;
  subject?: string | undefined;
  /** The application's own id of an organization. */
  organization?: string | undefined;
  ownerType?: 'user' | 'organization' | undefined;
  /** Tags that a connection has all of. */
  tags?: Readonly<Record<string, string>> | undefined;
  integrationId?: string | undefined;
  serviceProvider?: string | undefined;
  status?: ConnectionStatus | undefined;
  /** What a user id, an account or a connection id begins with. */
  search?: string | undefined;
  beforeId?: string | undefined;
  limit: number;
};

/** `variables` are those of the tenant only. */
export type ConnectionUpdate = {
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly customMetadata?: Record<string, unknown> | undefined;
  readonly tenant?:
    | (Readonly<Pick<Grant, 'tenantId' | 'tenantName' | 'accountId' | 'accountName'>> & {
        readonly variables: Readonly<Record<string, string>>;
        /** Names of the variables that a tenant may have. */
        readonly replaces: readonly string[];
      })
    | undefined;
};

export type ConnectionsStore = ReturnType<typeof createConnectionsStore>;

/** SQL over connections. Every function takes a pool or an open transaction and stays within given projects. */
export function createConnectionsStore({ vault }: { vault: Vault }) {
  return {
    find,
    findEvenDeleted,
    list,
    listToErase,
    update,
    noteUsesOfAnyProject,
    countByIntegration,
    countOfProject,
    countOfIntegration,
    ...createConnectionGrantsStore({ vault }),
  };
}

function selectWithDeleted(db: Db) {
  return db('connections AS c')
    .join('integrations AS i', { 'i.id': 'c.integration_id', 'i.project_id': 'c.project_id' })
    .join('end_users AS u', { 'u.id': 'c.end_user_id', 'u.project_id': 'c.project_id' })
    .select<ConnectionRow[]>(
      ...['c.*', 'i.service_provider', 'i.grant', 'u.organization'],
      // Of an organization: who connected it. A join would have Postgres read users of connections that have their own.
      db.raw(`coalesce(u.subject, (SELECT m.subject FROM end_users AS m
        WHERE m.id = c.connected_by AND m.project_id = c.project_id)) AS subject`),
    );
}

function selectConnections(db: Db) {
  return selectWithDeleted(db).whereNull('i.deleted_at');
}

/** The connection, or undefined where none of the given projects has it. */
async function find(db: Db, id: string, projectIds: readonly string[]): Promise<Connection | undefined> {
  const [row] = await selectConnections(db).where('c.id', id).whereIn('c.project_id', projectIds);
  return row && fromRow(row);
}

/** Also one whose integration is being erased. */
async function findEvenDeleted(
  db: Db,
  id: string,
  projectIds: readonly string[],
): Promise<Connection | undefined> {
  const [row] = await selectWithDeleted(db).where('c.id', id).whereIn('c.project_id', projectIds);
  return row && fromRow(row);
}

async function list(db: Db, filter: ConnectionFilter): Promise<Connection[]> {
  const named = await idsNamedBy(db, filter);
  if (named.some((ids) => ids.values.length === 0)) return [];
  if (filter.search !== undefined) {
    const found = await findByBeginning(db, filter.projectIds, filter.search);
    if (found.length === 0) return [];
    named.push({ column: 'c.id', values: found });
  }
  const rows = await selectConnections(db)
    .whereIn('c.project_id', filter.projectIds)
    .modify((query) => restrict(query, filter))
    .modify((query) => {
      for (const { column, values } of named) query.whereIn(column, values);
    })
    .orderBy('c.id', 'desc')
    .limit(filter.limit);
  return rows.map(fromRow);
}

/**
 * What an application changes of a connection; false where it is no longer the version given. Variables are merged into
 * those that are there, since a refresh under way may bring others.
 */
async function update(
  db: Db,
  { id, projectId, version }: Connection,
  { customMetadata, tags, tenant }: ConnectionUpdate,
): Promise<boolean> {
  const changed = await db('connections')
    .where({ id, project_id: projectId, version })
    .update({
      ...(customMetadata && { custom_metadata: customMetadata }),
      ...(tags && { tags: JSON.stringify(tags) }),
      ...(tenant && {
        tenant_id: tenant.tenantId,
        tenant_name: tenant.tenantName,
        account_id: tenant.accountId,
        account_name: tenant.accountName,
        variables: db.raw('(variables - ?::text[]) || ?::jsonb', [
          [...tenant.replaces],
          JSON.stringify(tenant.variables),
        ]),
      }),
      version: db.raw('version + 1'),
      updated_at: db.fn.now(),
    });
  return changed > 0;
}

/** Some connections of an integration, which may be deleted, or of a user. */
async function listToErase(
  db: Db,
  {
    projectId,
    limit,
    ...owner
  }: { projectId: string; limit: number } & (
    | { integrationId: string }
    | { endUserId: string; afterId?: string }
    | { ofAll: true }
  ),
): Promise<Connection[]> {
  const query = selectWithDeleted(db).where({ 'c.project_id': projectId });
  if ('integrationId' in owner) query.where('c.integration_id', owner.integrationId);
  else if ('endUserId' in owner) {
    query.where('c.end_user_id', owner.endUserId);
    if (owner.afterId !== undefined) query.where('c.id', '>', owner.afterId);
  }
  return (await query.orderBy('c.id').limit(limit)).map(fromRow);
}

/** Sets last_used_at where it is not after `unlessSince`; sends no notice to the replicas (no version change). */
async function noteUsesOfAnyProject(
  db: Db,
  ids: readonly string[],
  usedAt: Date,
  unlessSince: Date,
): Promise<void> {
  await db('connections')
    .whereIn('id', ids)
    .where((old) => old.whereNull('last_used_at').orWhere('last_used_at', '<=', unlessSince))
    .update({ last_used_at: usedAt });
}

type NamedIds = { readonly column: string; readonly values: readonly string[] };

/**
 * The ids behind a user's own id and a provider's name, each by an index. As constants they let Postgres estimate the
 * number of connections; as joins they made it scan all connections of a project.
 */
async function idsNamedBy(
  db: Db,
  { projectIds, subject, organization, serviceProvider }: ConnectionFilter,
): Promise<NamedIds[]> {
  const named: NamedIds[] = [];
  if (subject !== undefined) {
    const values = await db('end_users').whereIn('project_id', projectIds).where({ subject }).pluck('id');
    named.push({ column: 'c.end_user_id', values });
  }
  if (organization !== undefined) {
    const values = await db('end_users')
      .whereIn('project_id', projectIds)
      .where({ organization })
      .pluck('id');
    named.push({ column: 'c.end_user_id', values });
  }
  if (serviceProvider !== undefined) {
    const values = await db('integrations')
      .whereIn('project_id', projectIds)
      .where({ service_provider: serviceProvider })
      .pluck('id');
    named.push({ column: 'c.integration_id', values });
  }
  return named;
}

function restrict(query: Knex.QueryBuilder, filter: ConnectionFilter): void {
  if (filter.endUserIds !== undefined) query.whereIn('c.end_user_id', filter.endUserIds);
  if (filter.integrationId !== undefined) query.where('c.integration_id', filter.integrationId);
  if (filter.status !== undefined) query.where('c.status', filter.status);
  if (filter.ownerType === 'user') query.whereNull('u.organization');
  if (filter.ownerType === 'organization') query.whereNotNull('u.organization');
  if (filter.tags !== undefined) query.whereRaw('c.tags @> ?::jsonb', [JSON.stringify(filter.tags)]);
  if (filter.beforeId !== undefined) query.where('c.id', '<', filter.beforeId);
}
