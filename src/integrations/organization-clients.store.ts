import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { Integration } from './integration.ts';
import { applyOrganizationClient, type OrganizationClient } from './organization-client.ts';
import {
  createOrganizationSecrets,
  type OrganizationSecrets,
  type SealedColumns,
} from './organization-secrets.store.ts';

/** A verdict that says what the last one said is written so often. */
const NOTED_EVERY = '1 hour';
/** Longer than any connect session lives, whose authorization may be under way with the version. */
const RETIRED_FOR = '1 day';
const SWEPT_AT_ONCE = 500;

export type NewOrganizationClient = {
  readonly endUserId: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly variables: Record<string, string>;
  readonly secretVariables: Record<string, string>;
  readonly scopes: string[] | null;
  readonly by: string;
};

/** A field that is undefined stays as it is. */
export type OrganizationClientChange = {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly variables?: Record<string, string> | undefined;
  readonly secretVariables?: Record<string, string> | undefined;
  readonly scopes?: string[] | null | undefined;
  readonly by: string;
};

type Row = SealedColumns & {
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

type Owner = Pick<Integration, 'id' | 'projectId'>;

export type OrganizationClientsStore = ReturnType<typeof createOrganizationClientsStore>;

/**
 * SQL over the OAuth clients of organizations. A row is a version: another client id or other variables make a new one, and
 * what was before stays for the connections that it made. A new secret or other scopes change the version itself.
 */
export function createOrganizationClientsStore({ vault }: { vault: Vault }) {
  const secrets = createOrganizationSecrets({ vault });
  return {
    find: async (db: Db, owner: Owner, id: string) => first(selectCurrent(db, owner).where('o.handle', id)),
    list,
    add: (trx: Db, owner: Owner, client: NewOrganizationClient) => add(trx, secrets, owner, client),
    change: (trx: Db, current: OrganizationClient, change: OrganizationClientChange) =>
      changeCurrent(trx, secrets, current, change),
    retire,
    /** The secrets and the secret variables of a version. */
    openSecrets: secrets.open,
    withClientOf,
    withClientOfOrganization,
    withVersion,
    listRefused,
    noteVerdict,
    sweepOfAnyProject,
  };
}

function select(db: Db, { id, projectId }: Owner) {
  return db('organization_clients AS o')
    .join('end_users AS u', { 'u.id': 'o.end_user_id', 'u.project_id': 'o.project_id' })
    .where({ 'o.integration_id': id, 'o.project_id': projectId })
    .select<Row[]>('o.*', 'u.organization');
}

const selectCurrent = (db: Db, owner: Owner) => select(db, owner).whereNull('o.retired_at');

async function first(query: PromiseLike<readonly Row[]>): Promise<OrganizationClient | undefined> {
  const [row] = await query;
  return row && fromRow(row);
}

async function list(
  db: Db,
  owner: Owner,
  filter: { organization?: string | undefined; beforeId?: string | undefined; limit: number },
): Promise<OrganizationClient[]> {
  const rows = await selectCurrent(db, owner)
    .modify((query) => {
      if (filter.organization !== undefined) query.where('u.organization', filter.organization);
      if (filter.beforeId !== undefined) query.where('o.handle', '<', filter.beforeId);
    })
    .orderBy('o.handle', 'desc')
    .limit(filter.limit);
  return rows.map(fromRow);
}

/** Undefined where the organization has one. A version of before with the same client and variables is taken up again. */
async function add(
  trx: Db,
  secrets: OrganizationSecrets,
  owner: Owner,
  given: NewOrganizationClient,
): Promise<OrganizationClient | undefined> {
  // Two requests for one organization take turns.
  await trx('end_users').where({ id: given.endUserId, project_id: owner.projectId }).forUpdate().first('id');
  const present = await first(selectCurrent(trx, owner).where('o.end_user_id', given.endUserId));
  if (present !== undefined) return undefined;
  return insertOrTakeUp(trx, secrets, owner, { ...given, handle: newId(), version: 1 });
}

type NewVersion = NewOrganizationClient & { readonly handle: string; readonly version: number };

async function insertOrTakeUp(
  trx: Db,
  secrets: OrganizationSecrets,
  owner: Owner,
  given: NewVersion,
): Promise<OrganizationClient> {
  const [before] = await select(trx, owner)
    .where({ 'o.end_user_id': given.endUserId, 'o.client_id': given.clientId })
    .whereRaw('o.variables = ?::jsonb', [JSON.stringify(given.variables)])
    .whereNotNull('o.retired_at')
    .orderBy('o.retired_at', 'desc')
    .limit(1)
    .forUpdate('o');
  const id = before?.id ?? newId();
  const row = { id, project_id: owner.projectId };
  const columns = {
    handle: given.handle,
    scopes: given.scopes,
    ...secrets.seal(row, given, before),
    version: Math.max(given.version, (before?.version ?? 0) + 1),
    retired_at: null,
    refused_at: null,
    updated_by: given.by,
    updated_at: trx.fn.now(),
  };
  if (before !== undefined) await trx('organization_clients').where(row).update(columns);
  else
    await trx('organization_clients').insert({
      ...row,
      integration_id: owner.id,
      end_user_id: given.endUserId,
      client_id: given.clientId,
      variables: given.variables,
      created_by: given.by,
      ...columns,
    });
  const made = await first(select(trx, owner).where('o.id', id));
  if (made === undefined) throw new Error('an inserted client was not found');
  return made;
}

/** Undefined when another request changed it first. */
async function changeCurrent(
  trx: Db,
  secrets: OrganizationSecrets,
  current: OrganizationClient,
  change: OrganizationClientChange,
): Promise<OrganizationClient | undefined> {
  const { versionId, projectId, integrationId } = current;
  const owner = { id: integrationId, projectId };
  const [row] = await select(trx, owner)
    .where({ 'o.id': versionId, 'o.version': current.version })
    .whereNull('o.retired_at')
    .forUpdate('o');
  if (row === undefined) return undefined;
  const { clientId = row.client_id, variables = row.variables, scopes = row.scopes } = change;
  if (clientId !== row.client_id || !isSame(variables, row.variables)) {
    const kept = secrets.openRow(row);
    // Another client has another secret, or none: the one of before is not sent in its name.
    const keptSecret = clientId === row.client_id ? kept.clientSecrets[0] : undefined;
    await retireRow(trx, current);
    return insertOrTakeUp(trx, secrets, owner, {
      ...{ endUserId: row.end_user_id, clientId, variables, scopes, by: change.by },
      ...{ handle: row.handle, version: row.version + 1 },
      clientSecret: change.clientSecret ?? keptSecret ?? null,
      secretVariables: { ...kept.variables, ...change.secretVariables },
    });
  }
  await trx('organization_clients')
    .where({ id: versionId, project_id: projectId })
    .update({
      scopes,
      ...secrets.rotate({ id: versionId, project_id: projectId }, row, change),
      ...(change.clientSecret !== undefined && { refused_at: null }),
      version: trx.raw('version + 1'),
      updated_by: change.by,
      updated_at: trx.fn.now(),
    });
  return first(select(trx, owner).where('o.id', versionId));
}

/** No connection is made with it from now on. False where another request was faster. */
async function retire(trx: Db, { versionId, projectId, version }: OrganizationClient): Promise<boolean> {
  return (await retireRow(trx, { versionId, projectId, version })) > 0;
}

function retireRow(
  trx: Db,
  { versionId, projectId, version }: Pick<OrganizationClient, 'versionId' | 'projectId' | 'version'>,
): Promise<number> {
  return trx('organization_clients')
    .where({ id: versionId, project_id: projectId, version })
    .whereNull('retired_at')
    .update({ retired_at: trx.fn.now() });
}

/** The integration as that owner's next authorization uses it. */
async function withClientOf(db: Db, integration: Integration, endUserId: string): Promise<Integration> {
  const client = await first(selectCurrent(db, integration).where('o.end_user_id', endUserId));
  return client === undefined ? integration : applyOrganizationClient(integration, client);
}

/** The same by the application's own id of the organization. */
async function withClientOfOrganization(
  db: Db,
  integration: Integration,
  organization: string,
): Promise<Integration> {
  const client = await first(selectCurrent(db, integration).where('u.organization', organization));
  return client === undefined ? integration : applyOrganizationClient(integration, client);
}

/** The integration with the version that made a connection; undefined where there is none. Null: with its own client. */
async function withVersion(
  db: Db,
  integration: Integration,
  versionId: string | null | undefined,
): Promise<Integration | undefined> {
  if (versionId == null) return integration;
  const client = await first(select(db, integration).where('o.id', versionId));
  return client && applyOrganizationClient(integration, client);
}

/** Versions in use whose provider refused their client the last time that it heard it. */
async function listRefused(db: Db, owner: Owner, limit: number): Promise<OrganizationClient[]> {
  const rows = await select(db, owner)
    .whereRaw('o.refused_at > coalesce(o.worked_at, o.created_at)')
    .where((inUse) =>
      inUse
        .whereNull('o.retired_at')
        .orWhereExists(
          db('connections AS c').select(db.raw('1')).whereRaw('c.organization_client_id = o.id'),
        ),
    )
    .orderBy('o.refused_at', 'desc')
    .limit(limit);
  return rows.map(fromRow);
}

/** Notes what the provider made of a version's secret, once an hour or when it changes its mind. */
async function noteVerdict(db: Db, versionId: string, verdict: 'worked' | 'refused'): Promise<void> {
  const [now, before] = verdict === 'worked' ? ['worked_at', 'refused_at'] : ['refused_at', 'worked_at'];
  await db('organization_clients')
    .where({ id: versionId })
    .whereRaw(`(?? IS NULL OR ?? < now() - interval '${NOTED_EVERY}' OR ?? >= ??)`, [now, now, before, now])
    .update({ [now]: db.fn.now() });
}

/** Erases versions that are out of use and that no connection needs. */
async function sweepOfAnyProject(db: Db): Promise<number> {
  return db('organization_clients')
    .whereIn(
      'id',
      db('organization_clients AS o')
        .select('o.id')
        .whereRaw(`o.retired_at < now() - interval '${RETIRED_FOR}'`)
        .whereNotExists(
          db('connections AS c').select(db.raw('1')).whereRaw('c.organization_client_id = o.id'),
        )
        .limit(SWEPT_AT_ONCE),
    )
    .delete();
}

function isSame(one: Record<string, string>, other: Record<string, string>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

function fromRow(row: Row): OrganizationClient {
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
