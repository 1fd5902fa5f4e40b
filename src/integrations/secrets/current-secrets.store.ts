import type { Db } from '../../platform/postgres/database.ts';
import { openOrElse, type Vault } from '../../platform/vault.ts';
import { openSecretVariables } from './secret-variables.ts';

type Row = {
  id: string;
  client_secret_sealed: string | null;
  webhook_secret_sealed: string | null;
  secret_variables_sealed: string | null;
};

export type CurrentSecrets = {
  readonly clientSecret: string | null;
  readonly webhookSecret: string | null;
  readonly variables: Readonly<Record<string, string>>;
};

/** The secrets of a project's integrations, by id, for comparing them: none where one cannot be unsealed. */
export async function openCurrentSecrets(
  db: Db,
  vault: Vault,
  projectId: string,
): Promise<ReadonlyMap<string, CurrentSecrets>> {
  const rows: Row[] = await db<Row & { project_id: string; deleted_at: Date | null }>('integrations')
    .where({ project_id: projectId })
    .whereNull('deleted_at')
    .select('id', 'client_secret_sealed', 'webhook_secret_sealed', 'secret_variables_sealed');
  return new Map(rows.map((row) => [row.id, openRow(vault, projectId, row)]));
}

function openRow(vault: Vault, projectId: string, row: Row): CurrentSecrets {
  const open = (column: 'client_secret_sealed' | 'webhook_secret_sealed') => {
    const sealed = row[column];
    return sealed === null
      ? null
      : openOrElse(
          () => vault.open(sealed, { table: 'integrations', column, rowId: row.id, projectId }),
          null,
        );
  };
  return {
    clientSecret: open('client_secret_sealed'),
    webhookSecret: open('webhook_secret_sealed'),
    variables: openOrElse(
      () => openSecretVariables(vault, { id: row.id, projectId }, row.secret_variables_sealed),
      {},
    ),
  };
}
