import { z } from 'zod';
import type { Db } from '../../platform/postgres/database.ts';
import { openOrElse, type Vault } from '../../platform/vault.ts';
import { PREVIOUS_SECRET_DAYS } from '../secrets/integration-secrets.store.ts';

const packedVariables = z.record(z.string(), z.string());
const DAY_MS = 24 * 60 * 60 * 1_000;

export type SealedColumns = {
  client_secret_sealed: string | null;
  previous_client_secret_sealed: string | null;
  client_secret_rotated_at: Date | null;
  secret_variables_sealed: string | null;
};

type RowId = { readonly id: string; readonly project_id: string };

type Secrets = {
  readonly clientSecret?: string | null | undefined;
  readonly secretVariables?: Readonly<Record<string, string>> | undefined;
};

export type OrganizationSecrets = ReturnType<typeof createOrganizationSecrets>;

/** What is sealed with a version of an organization's client: its secret, the one before, and its secret variables. */
export function createOrganizationSecrets({ vault }: { vault: Vault }) {
  const context = (column: keyof SealedColumns, { id, project_id }: RowId) => ({
    table: 'organization_clients',
    column,
    rowId: id,
    projectId: project_id,
  });
  const sealIn = (column: keyof SealedColumns, row: RowId, text: string | null) =>
    text === null ? null : vault.seal(text, context(column, row));
  const openIn = (
    column: Exclude<keyof SealedColumns, 'client_secret_rotated_at'>,
    row: RowId & SealedColumns,
  ) => (row[column] === null ? null : vault.open(row[column], context(column, row)));

  /** Null for what cannot be unsealed: a new one replaces it all the same. */
  function openIfPossible(column: Parameters<typeof openIn>[0], row: RowId & SealedColumns): string | null {
    return openOrElse(() => openIn(column, row), null);
  }

  const variablesOf = (packed: string | null): Record<string, string> =>
    packed === null ? {} : packedVariables.parse(JSON.parse(packed));

  const sealVariables = (row: RowId, variables: Readonly<Record<string, string>>) =>
    sealIn(
      'secret_variables_sealed',
      row,
      Object.keys(variables).length === 0 ? null : JSON.stringify(variables),
    );

  function rotateSecret(row: RowId & SealedColumns, secret: string | null) {
    const before = openIfPossible('client_secret_sealed', row);
    if (before === secret) return {};
    return {
      client_secret_sealed: sealIn('client_secret_sealed', row, secret),
      previous_client_secret_sealed: sealIn('previous_client_secret_sealed', row, before),
      client_secret_rotated_at: new Date(),
    };
  }

  return {
    /** The columns of a version: of a new one, or of one that is taken up again. */
    seal(row: RowId, given: Secrets, before: (RowId & SealedColumns) | undefined): Partial<SealedColumns> {
      const { clientSecret = null, secretVariables = {} } = given;
      return {
        ...(before === undefined
          ? { client_secret_sealed: sealIn('client_secret_sealed', row, clientSecret) }
          : rotateSecret(before, clientSecret)),
        secret_variables_sealed: sealVariables(row, secretVariables),
      };
    },

    /** The columns that a change brings: the secret before is tried for some days, variables are merged. */
    rotate(row: RowId, before: RowId & SealedColumns, given: Secrets): Partial<SealedColumns> {
      const { clientSecret, secretVariables } = given;
      return {
        ...(clientSecret !== undefined && rotateSecret(before, clientSecret)),
        ...(secretVariables && {
          secret_variables_sealed: sealVariables(row, {
            ...variablesOf(openIfPossible('secret_variables_sealed', before)),
            ...secretVariables,
          }),
        }),
      };
    },

    openRow,
    /** The secrets to try, the current one first, and the secret variables. Throws VaultError. */
    async open(
      db: Db,
      { versionId, projectId }: { readonly versionId: string; readonly projectId: string },
    ): Promise<{ clientSecrets: string[]; variables: Record<string, string> }> {
      const row = await db('organization_clients')
        .where({ id: versionId, project_id: projectId })
        .first<RowId & SealedColumns>(
          ...['id', 'project_id', 'client_secret_sealed', 'previous_client_secret_sealed'],
          ...['client_secret_rotated_at', 'secret_variables_sealed'],
        );
      return row === undefined ? { clientSecrets: [], variables: {} } : openRow(row);
    },
  };

  function openRow(row: RowId & SealedColumns) {
    const { client_secret_rotated_at: rotatedAt } = row;
    const isRotatedLately =
      rotatedAt !== null && Date.now() - rotatedAt.getTime() < PREVIOUS_SECRET_DAYS * DAY_MS;
    const current = openIn('client_secret_sealed', row);
    const previous = isRotatedLately ? openIn('previous_client_secret_sealed', row) : null;
    return {
      clientSecrets: [current, previous].filter((secret) => secret !== null),
      variables: variablesOf(openIn('secret_variables_sealed', row)),
    };
  }
}
