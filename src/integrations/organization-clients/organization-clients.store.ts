import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { Integration } from '../integration.ts';
import { applyOrganizationClient, type OrganizationClient } from './organization-client.ts';
import {
  type ClientOwner,
  readFirst,
  readRow,
  selectCurrent,
  selectVersions,
} from './organization-client-rows.store.ts';
import {
  addClient,
  changeClient,
  type NewOrganizationClient,
  type OrganizationClientChange,
  retireClient,
} from './organization-client-versions.store.ts';
import { createOrganizationSecrets } from './organization-secrets.store.ts';

/** A verdict that says what the last one said is written so often. */
const NOTED_EVERY = '1 hour';
/** Longer than any connect session lives, whose authorization may be under way with the version. */
const RETIRED_FOR = '1 day';
const SWEPT_AT_ONCE = 500;

export type OrganizationClientsStore = ReturnType<typeof createOrganizationClientsStore>;

/**
 * SQL over the OAuth clients of organizations. A row is a version: another client id or other variables make a new one, and
 * what was before stays for the connections that it made. A new secret or other scopes change the version itself.
 */
export function createOrganizationClientsStore({ vault }: { vault: Vault }) {
  const secrets = createOrganizationSecrets({ vault });
  return {
    find: async (db: Db, owner: ClientOwner, id: string) =>
      readFirst(selectCurrent(db, owner).where('o.handle', id)),
    list,
    add: (trx: Db, owner: ClientOwner, client: NewOrganizationClient) =>
      addClient(trx, secrets, owner, client),
    change: (trx: Db, current: OrganizationClient, change: OrganizationClientChange) =>
      changeClient(trx, secrets, current, change),
    retire: retireClient,
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

async function list(
  db: Db,
  owner: ClientOwner,
  filter: { organization?: string | undefined; beforeId?: string | undefined; limit: number },
): Promise<OrganizationClient[]> {
  const rows = await selectCurrent(db, owner)
    .modify((query) => {
      if (filter.organization !== undefined) query.where('u.organization', filter.organization);
      if (filter.beforeId !== undefined) query.where('o.handle', '<', filter.beforeId);
    })
    .orderBy('o.handle', 'desc')
    .limit(filter.limit);
  return rows.map(readRow);
}

/** The integration as that owner's next authorization uses it. */
async function withClientOf(db: Db, integration: Integration, endUserId: string): Promise<Integration> {
  const client = await readFirst(selectCurrent(db, integration).where('o.end_user_id', endUserId));
  return client === undefined ? integration : applyOrganizationClient(integration, client);
}

/** The same by the application's own id of the organization. */
async function withClientOfOrganization(
  db: Db,
  integration: Integration,
  organization: string,
): Promise<Integration> {
  const client = await readFirst(selectCurrent(db, integration).where('u.organization', organization));
  return client === undefined ? integration : applyOrganizationClient(integration, client);
}

/** The integration with the version that made a connection; undefined where there is none. Null: with its own client. */
async function withVersion(
  db: Db,
  integration: Integration,
  versionId: string | null | undefined,
): Promise<Integration | undefined> {
  if (versionId == null) return integration;
  const client = await readFirst(selectVersions(db, integration).where('o.id', versionId));
  return client && applyOrganizationClient(integration, client);
}

/** Versions in use whose provider refused their client the last time that it heard it. */
async function listRefused(db: Db, owner: ClientOwner, limit: number): Promise<OrganizationClient[]> {
  const rows = await selectVersions(db, owner)
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
  return rows.map(readRow);
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
