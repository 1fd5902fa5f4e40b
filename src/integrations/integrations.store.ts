import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type Vault, VaultError } from '../platform/vault.ts';
import type { IntegrationSettings } from './integrations.schema.ts';
import { openSecretVariables, sealSecretVariables } from './secret-variables.ts';

/** How long the secret before the last change is still tried, so that a rotation at the provider needs no hurry. */
const PREVIOUS_SECRET_DAYS = 7;

/** An integration as the rest of the gateway knows it. It holds no secret; `openSecrets` reads those. */
export type Integration = Readonly<{
  id: string;
  projectId: string;
  serviceProvider: string;
  clientId: string | null;
  scopes: string[];
  optionalScopes: string[];
  variables: Record<string, string>;
  settings: IntegrationSettings;
  version: number;
  createdAt: Date;
  createdBy: string;
  updatedAt: Date;
  updatedBy: string;
}>;

export type NewIntegration = Omit<Integration, 'id' | 'version' | 'createdAt' | 'updatedAt' | 'updatedBy'> & {
  clientSecret: string | null;
  webhookSecret: string | null;
  /** Those of its variables that are part of a credential. */
  secretVariables?: Record<string, string>;
};

/** A field that is undefined stays as it is. */
export type IntegrationChange = {
  [Field in 'clientId' | 'scopes' | 'optionalScopes' | 'variables' | 'settings']?:
    | Integration[Field]
    | undefined;
} & {
  clientSecret?: string | undefined;
  webhookSecret?: string | null | undefined;
  /** Merged into those that are there, which no caller can read to send them along. */
  secretVariables?: Record<string, string> | undefined;
  updatedBy: string;
};

type Row = {
  id: string;
  project_id: string;
  service_provider: string;
  client_id: string | null;
  client_secret_sealed: string | null;
  previous_client_secret_sealed: string | null;
  client_secret_rotated_at: Date | null;
  webhook_secret_sealed: string | null;
  secret_variables_sealed: string | null;
  scopes: string[];
  optional_scopes: string[];
  variables: Record<string, string>;
  settings: IntegrationSettings;
  version: number;
  created_at: Date;
  created_by: string;
  updated_at: Date;
  updated_by: string;
};

type SecretColumns = 'client_secret_sealed' | 'previous_client_secret_sealed' | 'secret_variables_sealed';
type SecretColumn = SecretColumns | 'webhook_secret_sealed';

export type IntegrationsStore = ReturnType<typeof createIntegrationsStore>;

/** SQL over integrations, always within a project (or the projects that the caller may see). */
export function createIntegrationsStore({ vault }: { vault: Vault }) {
  const context = (column: string, id: string, projectId: string) => ({
    table: 'integrations',
    column,
    rowId: id,
    projectId,
  });
  const seal = (column: SecretColumn, id: string, projectId: string, secret: string | null) =>
    secret === null ? null : vault.seal(secret, context(column, id, projectId));

  async function insert(db: Db, integration: NewIntegration): Promise<Integration> {
    const id = newId();
    const { projectId, secretVariables = {} } = integration;
    const [row] = await db<Row>('integrations')
      .insert({
        id,
        project_id: projectId,
        service_provider: integration.serviceProvider,
        client_id: integration.clientId,
        client_secret_sealed: seal('client_secret_sealed', id, projectId, integration.clientSecret),
        webhook_secret_sealed: seal('webhook_secret_sealed', id, projectId, integration.webhookSecret),
        secret_variables_sealed: sealSecretVariables(vault, { id, projectId }, secretVariables),
        scopes: integration.scopes,
        optional_scopes: integration.optionalScopes,
        variables: integration.variables,
        settings: integration.settings,
        created_by: integration.createdBy,
        updated_by: integration.createdBy,
      })
      .returning('*');
    if (row === undefined) throw new Error('an inserted integration was not returned');
    return fromRow(row);
  }

  /** The integration, or undefined where it does not exist in any of the given projects. */
  async function find(db: Db, id: string, projectIds: readonly string[]): Promise<Integration | undefined> {
    const row = await db<Row>('integrations').where({ id }).whereIn('project_id', projectIds).first();
    return row && fromRow(row);
  }

  async function list(
    db: Db,
    filter: {
      projectIds: readonly string[];
      serviceProvider?: string | undefined;
      beforeId?: string | undefined;
      limit: number;
    },
  ): Promise<Integration[]> {
    const rows = await db<Row>('integrations')
      .whereIn('project_id', filter.projectIds)
      .modify((query) => {
        if (filter.serviceProvider !== undefined) query.where('service_provider', filter.serviceProvider);
        if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
      })
      .orderBy('id', 'desc')
      .limit(filter.limit);
    return rows.map(fromRow);
  }

  /** Changes the given fields if the version still is `version`; undefined when another request changed it first. */
  async function update(
    db: Db,
    current: Integration,
    change: IntegrationChange,
  ): Promise<Integration | undefined> {
    const { id, projectId } = current;
    const [row] = await db<Row>('integrations')
      .where({ id, project_id: projectId, version: current.version })
      .update({
        ...(change.clientId !== undefined && { client_id: change.clientId }),
        ...(change.scopes && { scopes: change.scopes }),
        ...(change.optionalScopes && { optional_scopes: change.optionalScopes }),
        ...(change.variables && { variables: change.variables }),
        ...(change.settings && { settings: change.settings }),
        ...(change.clientSecret !== undefined &&
          (await rotateSecret(db, current, 'client_secret', change.clientSecret))),
        ...(change.webhookSecret !== undefined &&
          (await rotateSecret(db, current, 'webhook_secret', change.webhookSecret))),
        ...(change.secretVariables && {
          secret_variables_sealed: sealSecretVariables(vault, current, {
            ...(await remainingVariables(db, current)),
            ...change.secretVariables,
          }),
        }),
        version: db.raw('version + 1'),
        updated_at: db.fn.now(),
        updated_by: change.updatedBy,
      })
      .returning('*');
    return row && fromRow(row);
  }

  /** The columns of a rotation: the new secret sealed, the one before re-sealed for its own column. */
  async function rotateSecret(
    db: Db,
    { id, projectId }: Integration,
    name: 'client_secret' | 'webhook_secret',
    secret: string | null,
  ): Promise<Record<string, unknown>> {
    const current = `${name}_sealed`;
    const previous = `previous_${name}_sealed`;
    const row = await db('integrations').where({ id, project_id: projectId }).first(current);
    const sealed: unknown = row?.[current];
    const before = typeof sealed === 'string' ? openIfPossible(current, id, projectId, sealed) : null;
    return {
      [current]: secret === null ? null : vault.seal(secret, context(current, id, projectId)),
      [previous]: before === null ? null : vault.seal(before, context(previous, id, projectId)),
      [`${name}_rotated_at`]: db.fn.now(),
    };
  }

  /** The secret variables that a change leaves in place; those that cannot be unsealed are lost. */
  async function remainingVariables(
    db: Db,
    { id, projectId }: Pick<Integration, 'id' | 'projectId'>,
  ): Promise<Record<string, string>> {
    const row = await db<Row>('integrations')
      .where({ id, project_id: projectId })
      .first('secret_variables_sealed');
    try {
      return openSecretVariables(vault, { id, projectId }, row?.secret_variables_sealed ?? null);
    } catch (error) {
      if (error instanceof VaultError) return {};
      throw error;
    }
  }

  /** Null for a secret that cannot be unsealed: a new one takes its place all the same. */
  function openIfPossible(column: string, id: string, projectId: string, sealed: string): string | null {
    try {
      return vault.open(sealed, context(column, id, projectId));
    } catch (error) {
      if (error instanceof VaultError) return null;
      throw error;
    }
  }

  /** Locks the row until the transaction ends: foreign keys of new connections wait for it. */
  async function lock(trx: Db, { id, projectId }: Integration): Promise<void> {
    await trx('integrations').where({ id, project_id: projectId }).forUpdate().first('id');
  }

  async function remove(db: Db, { id, projectId }: Integration): Promise<boolean> {
    return (await db('integrations').where({ id, project_id: projectId }).delete()) > 0;
  }

  /**
   * The client secrets to try, the current one first, and the secret variables. Plain values: only for signing and
   * sending requests.
   */
  async function openSecrets(
    db: Db,
    { id, projectId }: Pick<Integration, 'id' | 'projectId'>,
  ): Promise<{ clientSecrets: string[]; variables: Record<string, string> }> {
    const row = await db('integrations')
      .where({ id, project_id: projectId })
      .first<Pick<Row, SecretColumns> & { rotated_lately: boolean | null }>([
        'client_secret_sealed',
        'previous_client_secret_sealed',
        'secret_variables_sealed',
        db.raw(
          `client_secret_rotated_at > now() - interval '${PREVIOUS_SECRET_DAYS} days' AS rotated_lately`,
        ),
      ]);
    if (row === undefined) return { clientSecrets: [], variables: {} };
    const clientSecrets: string[] = [];
    const add = (column: SecretColumn, sealed: string | null) => {
      if (sealed !== null) clientSecrets.push(vault.open(sealed, context(column, id, projectId)));
    };
    add('client_secret_sealed', row.client_secret_sealed);
    if (row.rotated_lately) add('previous_client_secret_sealed', row.previous_client_secret_sealed);
    return {
      clientSecrets,
      variables: openSecretVariables(vault, { id, projectId }, row.secret_variables_sealed),
    };
  }

  /** Whether a change gives the integration another client than it has now. */
  async function changesClient(
    db: Db,
    current: Integration,
    { clientId, clientSecret }: Pick<IntegrationChange, 'clientId' | 'clientSecret'>,
  ): Promise<boolean> {
    if (clientId !== undefined && clientId !== current.clientId) return true;
    if (clientSecret === undefined) return false;
    const { id, projectId } = current;
    const row = await db<Row>('integrations')
      .where({ id, project_id: projectId })
      .first('client_secret_sealed');
    const sealed = row?.client_secret_sealed ?? null;
    return sealed === null || clientSecret !== openIfPossible('client_secret_sealed', id, projectId, sealed);
  }

  return { insert, find, list, changesClient, remainingVariables, update, lock, remove, openSecrets };
}

function fromRow(row: Row): Integration {
  return {
    id: row.id,
    projectId: row.project_id,
    serviceProvider: row.service_provider,
    clientId: row.client_id,
    scopes: row.scopes,
    optionalScopes: row.optional_scopes,
    variables: row.variables,
    settings: row.settings,
    version: row.version,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}
