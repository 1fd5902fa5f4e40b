import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { IntegrationSettings } from '../integrations.schema.ts';
import { PREVIOUS_SECRET_DAYS } from './integration-secrets.store.ts';

/** What is needed to judge a webhook of an integration. Secrets stand newest first; the one before counts for a while. */
export type WebhookSecrets = {
  readonly integrationId: string;
  readonly projectId: string;
  readonly serviceProvider: string;
  readonly grant: string | null;
  readonly clientId: string | null;
  readonly clientSecrets: readonly string[];
  readonly webhookSecrets: readonly string[];
  /** The name of the scheme that the integration has chosen instead of the usual one. */
  readonly webhookScheme: string | undefined;
};

const SECRET_COLUMNS = ['client_secret', 'webhook_secret'] as const;

type Row = {
  id: string;
  project_id: string;
  service_provider: string;
  grant: string | null;
  client_id: string | null;
  settings: IntegrationSettings;
} & Record<`${'' | 'previous_'}${(typeof SECRET_COLUMNS)[number]}_sealed`, string | null> &
  Record<`${(typeof SECRET_COLUMNS)[number]}_is_rotated`, boolean | null>;

/** The secrets of the integrations of any project, for those ids that there are. Throws VaultError. */
export async function findWebhookSecretsOfAnyProject(
  db: Db,
  vault: Vault,
  ids: readonly string[],
): Promise<WebhookSecrets[]> {
  const isRotated = (name: (typeof SECRET_COLUMNS)[number]) =>
    db.raw(`${name}_rotated_at > now() - interval '${PREVIOUS_SECRET_DAYS} days' AS ${name}_is_rotated`);
  const rows = await db('integrations')
    .whereIn('id', ids)
    .whereNull('deleted_at')
    .select<Row[]>(
      'id',
      'project_id',
      'service_provider',
      'grant',
      'client_id',
      'settings',
      ...SECRET_COLUMNS.flatMap((name) => [`${name}_sealed`, `previous_${name}_sealed`, isRotated(name)]),
    );
  return rows.map((row) => ({
    integrationId: row.id,
    projectId: row.project_id,
    serviceProvider: row.service_provider,
    grant: row.grant,
    clientId: row.client_id,
    clientSecrets: openBoth(vault, row, 'client_secret'),
    webhookSecrets: openBoth(vault, row, 'webhook_secret'),
    webhookScheme: row.settings.webhookScheme,
  }));
}

function openBoth(vault: Vault, row: Row, name: (typeof SECRET_COLUMNS)[number]): string[] {
  const columns = row[`${name}_is_rotated`]
    ? ([`${name}_sealed`, `previous_${name}_sealed`] as const)
    : ([`${name}_sealed`] as const);
  return columns.flatMap((column) => {
    const sealed = row[column];
    if (sealed === null) return [];
    return [vault.open(sealed, { table: 'integrations', column, rowId: row.id, projectId: row.project_id })];
  });
}
