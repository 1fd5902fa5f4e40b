import { newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { OrganizationClient } from './organization-client.ts';
import {
  type ClientOwner,
  readFirst,
  selectCurrent,
  selectVersions,
} from './organization-client-rows.store.ts';
import type { OrganizationSecrets } from './organization-secrets.store.ts';

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

/** Undefined where the organization has one. A version of before with the same client and variables is taken up again. */
export async function addClient(
  trx: Db,
  secrets: OrganizationSecrets,
  owner: ClientOwner,
  given: NewOrganizationClient,
): Promise<OrganizationClient | undefined> {
  // Two requests for one organization take turns.
  await trx('end_users').where({ id: given.endUserId, project_id: owner.projectId }).forUpdate().first('id');
  const present = await readFirst(selectCurrent(trx, owner).where('o.end_user_id', given.endUserId));
  if (present !== undefined) return undefined;
  return insertOrTakeUp(trx, secrets, owner, { ...given, handle: newId(), version: 1 });
}

type NewVersion = NewOrganizationClient & {
  readonly handle: string;
  readonly version: number;
  /** When the client was made, where this is not its first version. */
  readonly createdAt?: Date;
};

async function insertOrTakeUp(
  trx: Db,
  secrets: OrganizationSecrets,
  owner: ClientOwner,
  given: NewVersion,
): Promise<OrganizationClient> {
  const [before] = await selectVersions(trx, owner)
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
    created_at: given.createdAt ?? trx.fn.now(),
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
  const made = await readFirst(selectVersions(trx, owner).where('o.id', id));
  if (made === undefined) throw new Error('an inserted client was not found');
  return made;
}

/** Undefined when another request changed it first. */
export async function changeClient(
  trx: Db,
  secrets: OrganizationSecrets,
  current: OrganizationClient,
  change: OrganizationClientChange,
): Promise<OrganizationClient | undefined> {
  const { versionId, projectId, integrationId } = current;
  const owner = { id: integrationId, projectId };
  const [row] = await selectVersions(trx, owner)
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
      ...{ handle: row.handle, version: row.version + 1, createdAt: row.created_at },
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
  return readFirst(selectVersions(trx, owner).where('o.id', versionId));
}

/** No connection is made with it from now on. False where another request was faster. */
export async function retireClient(
  trx: Db,
  { versionId, projectId, version }: OrganizationClient,
): Promise<boolean> {
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

function isSame(one: Record<string, string>, other: Record<string, string>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
