import type { Db } from '../../platform/postgres/database.ts';
import { openOrElse, type Vault } from '../../platform/vault.ts';
import { openSecretVariables } from './secret-variables.ts';

/** How long the secret before the last change is still tried, so that a rotation at the provider needs no hurry. */
export const PREVIOUS_SECRET_DAYS = 7;

type Owner = { readonly id: string; readonly projectId: string };
type Row = {
  client_secret_sealed: string | null;
  previous_client_secret_sealed: string | null;
  secret_variables_sealed: string | null;
};
type Keys = { id: string; project_id: string };
type SecretColumn = keyof Row | 'webhook_secret_sealed';

export type IntegrationSecretsStore = ReturnType<typeof createIntegrationSecretsStore>;

/** SQL over the sealed columns of integrations: client secrets, webhook secrets and secret variables. */
export function createIntegrationSecretsStore({ vault }: { vault: Vault }) {
  const context = (column: string, { id, projectId }: Owner) => ({
    table: 'integrations',
    column,
    rowId: id,
    projectId,
  });
  const seal = (column: SecretColumn, owner: Owner, secret: string | null) =>
    secret === null ? null : vault.seal(secret, context(column, owner));

  /** The columns of a rotation: the new secret sealed, the one before re-sealed for its own column. */
  async function rotateSecret(
    db: Db,
    { id, projectId }: Owner,
    name: 'client_secret' | 'webhook_secret',
    secret: string | null,
  ): Promise<Record<string, unknown>> {
    const current = `${name}_sealed`;
    const previous = `previous_${name}_sealed`;
    const row = await db('integrations').where({ id, project_id: projectId }).first(current);
    const sealed: unknown = row?.[current];
    const before = typeof sealed === 'string' ? openIfPossible(current, { id, projectId }, sealed) : null;
    return {
      [current]: secret === null ? null : vault.seal(secret, context(current, { id, projectId })),
      [previous]: before === null ? null : vault.seal(before, context(previous, { id, projectId })),
      [`${name}_rotated_at`]: db.fn.now(),
    };
  }

  /** The secret variables that a change leaves in place; those that cannot be unsealed are lost. */
  async function remainingVariables(db: Db, { id, projectId }: Owner): Promise<Record<string, string>> {
    const row = await db<Row & Keys>('integrations')
      .where({ id, project_id: projectId })
      .first('secret_variables_sealed');
    const sealed = row?.secret_variables_sealed ?? null;
    return openOrElse(() => openSecretVariables(vault, { id, projectId }, sealed), {});
  }

  /** Null for a secret that cannot be unsealed: a new one replaces it all the same. */
  function openIfPossible(column: string, owner: Owner, sealed: string): string | null {
    return openOrElse(() => vault.open(sealed, context(column, owner)), null);
  }

  /**
   * The client secrets to try, the current one first, and the secret variables. Plain values: only for signing and
   * sending requests.
   */
  async function openSecrets(
    db: Db,
    { id, projectId }: Owner,
  ): Promise<{
    clientSecrets: string[];
    /** Which records of `integration_secrets` they have, in the same order. */
    clientSecretIds: (string | null)[];
    variables: Record<string, string>;
  }> {
    const recordId = (age: 'newer' | 'older') =>
      db.raw(
        `(SELECT s.id FROM integration_secrets s
          WHERE s.project_id = integrations.project_id AND s.integration_id = integrations.id AND s.kind = 'client' AND s.age = '${age}') AS ${age}_id`,
      );
    const row = await db('integrations')
      .where({ id, project_id: projectId })
      .first<Row & { rotated_lately: boolean | null; newer_id: string | null; older_id: string | null }>([
        recordId('newer'),
        recordId('older'),
        'client_secret_sealed',
        'previous_client_secret_sealed',
        'secret_variables_sealed',
        db.raw(
          `client_secret_rotated_at > now() - interval '${PREVIOUS_SECRET_DAYS} days' AS rotated_lately`,
        ),
      ]);
    if (row === undefined) return { clientSecrets: [], clientSecretIds: [], variables: {} };
    const clientSecrets: string[] = [];
    const clientSecretIds: (string | null)[] = [];
    const add = (column: SecretColumn, sealed: string | null, recordOf: string | null) => {
      if (sealed === null) return;
      clientSecrets.push(vault.open(sealed, context(column, { id, projectId })));
      clientSecretIds.push(recordOf);
    };
    add('client_secret_sealed', row.client_secret_sealed, row.newer_id);
    if (row.rotated_lately)
      add('previous_client_secret_sealed', row.previous_client_secret_sealed, row.older_id);
    return {
      clientSecrets,
      clientSecretIds,
      variables: openSecretVariables(vault, { id, projectId }, row.secret_variables_sealed),
    };
  }

  /** The current client secret; null where there is none, or it cannot be unsealed. */
  async function openClientSecret(db: Db, { id, projectId }: Owner): Promise<string | null> {
    const row = await db<Row & Keys>('integrations')
      .where({ id, project_id: projectId })
      .first('client_secret_sealed');
    const sealed = row?.client_secret_sealed ?? null;
    return sealed === null ? null : openIfPossible('client_secret_sealed', { id, projectId }, sealed);
  }

  return { seal, rotateSecret, remainingVariables, openSecrets, openClientSecret };
}
