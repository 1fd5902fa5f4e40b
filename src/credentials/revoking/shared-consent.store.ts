import type { Db } from '../../platform/postgres/database.ts';
import type { Consent } from './shared-consent.ts';

/** A consent with the project and the provider of its integration. */
export type ConsentOfProject = Consent & { readonly projectId: string; readonly serviceProvider: string };

/**
 * True, in SQL, for integrations `i` of the same project, or of one with an owner in common. A client id is public and an
 * import names any account, so that what another tenant says of either holds no revocation up.
 */
const IS_OF_SAME_OWNER = `(i.project_id = :projectId OR EXISTS (
  SELECT 1 FROM project_members m WHERE m.project_id = i.project_id AND m.role = 'owner' AND m.operator_id IN (
    SELECT operator_id FROM project_members WHERE project_id = :projectId AND role = 'owner'
    UNION ALL SELECT operator_id FROM deleted_project_owners WHERE project_id = :projectId)))`;

/** True, in SQL, for integrations `i` at the same provider; a project's own providers are its own. */
const IS_SAME_PROVIDER = `${IS_OF_SAME_OWNER} AND (
  (i.project_id = :projectId AND i.service_provider = :provider)
  OR (i.service_provider NOT LIKE 'custom:%' AND :provider NOT LIKE 'custom:%'))`;

type Columns = { readonly account: string; readonly name: string; readonly user: string };

/** Conditions, in SQL, of which one is true for each holder that may stand on the same consent; each has an index. */
function conditionsOf({ account, name, user }: Columns): readonly string[] {
  const IS_OTHER_ENTRY = 'i.service_provider <> :provider';
  const IS_UNKNOWN = `(${account} IS NULL OR CAST(:accountId AS text) IS NULL)`;
  return [
    `${account} = :accountId`,
    // Entries of one provider may know its accounts by different ids; a name identifies them then.
    `${IS_OTHER_ENTRY} AND lower(${name}) COLLATE "C" IN (lower(:accountId), lower(:accountName))`,
    `${IS_OTHER_ENTRY} AND lower(${account}) COLLATE "C" = lower(:accountName)`,
    // Where nothing distinguishes accounts, one user's are taken for the same.
    `${user} = CAST(:endUserId AS uuid) AND i.project_id = :projectId AND (${IS_UNKNOWN} OR ${IS_OTHER_ENTRY})`,
    `:ends = 'workspace' AND NOT ${IS_OTHER_ENTRY} AND ${IS_UNKNOWN}`,
    'CAST(:endUserId AS uuid) IS NULL AND CAST(:accountId AS text) IS NULL',
  ];
}

const anyOf = (from: string, conditions: readonly string[]): string =>
  conditions.map((condition) => `EXISTS (SELECT 1 FROM ${from} AND ${condition})`).join(' OR ');

/**
 * What the holders `h` in a table stand on, in SQL: the client of their integration, or an organization's own, each found by
 * its index.
 */
const holdersIn = (table: string): readonly string[] => [
  `integrations i JOIN ${table} h ON h.integration_id = i.id AND h.project_id = i.project_id
    WHERE i.client_id = :clientId AND h.organization_client_id IS NULL AND ${IS_SAME_PROVIDER}`,
  `organization_clients o JOIN integrations i ON i.id = o.integration_id AND i.project_id = o.project_id
     JOIN ${table} h ON h.organization_client_id = o.id AND h.integration_id = i.id
    WHERE o.client_id = :clientId AND ${IS_SAME_PROVIDER}`,
];

const IS_HELD_BY_CONNECTION = holdersIn('connections')
  .map((from) =>
    anyOf(
      `${from} AND h.status = 'active'`,
      conditionsOf({ account: 'h.account_id', name: 'h.account_name', user: 'h.end_user_id' }),
    ),
  )
  .join(' OR ');

const IS_HELD_BY_SESSION = holdersIn('connect_sessions')
  .map((from) =>
    anyOf(
      `${from} AND h.state IN ('choosing', 'pending') AND h.expires_at > now()`,
      conditionsOf({
        account: 'h.granted_account_id',
        name: 'h.granted_account_name',
        user: 'h.end_user_id',
      }),
    ),
  )
  .join(' OR ');

/**
 * True where a live connection of the same client, in any project of the same owner, may stand on this consent, or a grant
 * that waits for its user: a revocation would end it.
 */
export async function isConsentHeldOfAnyProject(db: Db, consent: ConsentOfProject): Promise<boolean> {
  const { ends, clientId, accountId, accountName, endUserId, projectId, serviceProvider: provider } = consent;
  if (ends === 'token' || clientId === null) return false;
  const { rows } = await db.raw<{ rows: { is_held: boolean }[] }>(
    `SELECT ${IS_HELD_BY_CONNECTION} OR ${IS_HELD_BY_SESSION} AS is_held`,
    { ends, clientId, accountId, accountName, endUserId, projectId, provider },
  );
  return rows[0]?.is_held === true;
}
