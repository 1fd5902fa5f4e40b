import { templateValues } from '../catalog/facts/template-values.ts';
import { newId } from '../lib/ids.ts';
import type { DiscoveredServer } from '../oauth/discovered-server.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { Integration, IntegrationChange, NewIntegration } from './integration.ts';
import { INTEGRATION_COLUMNS, type IntegrationRow, toIntegration } from './integration-rows.ts';
import {
  createOrganizationClientsStore,
  type OrganizationClientsStore,
} from './organization-clients/organization-clients.store.ts';
import {
  createIntegrationSecretsStore,
  type IntegrationSecretsStore,
} from './secrets/integration-secrets.store.ts';
import { sealSecretVariables } from './secrets/secret-variables.ts';

type SecretsOwner = Pick<Integration, 'id' | 'projectId'> & {
  readonly organizationClient?: { readonly versionId: string } | null;
};
type Sealing = { readonly vault: Vault; readonly secrets: IntegrationSecretsStore };
type ClientChange = Pick<IntegrationChange, 'clientId' | 'clientSecret'>;
type RegisteredClient = { readonly clientId: string; readonly clientSecret: string | null };

export type IntegrationsStore = ReturnType<typeof createIntegrationsStore>;

/** SQL over integrations, always within a project (or the projects that the caller may see). */
export function createIntegrationsStore({ vault }: { vault: Vault }) {
  const secrets = createIntegrationSecretsStore({ vault });
  const clients = createOrganizationClientsStore({ vault });
  const sealing = { vault, secrets };

  return {
    insert: (db: Db, integration: NewIntegration) => insert(db, sealing, integration),
    find,
    findMany,
    findEvenDeleted,
    findOfAnyProject,
    list,
    changesClient: (db: Db, current: Integration, change: ClientChange) =>
      changesClient(db, secrets, current, change),
    remainingVariables: secrets.remainingVariables,
    update: (db: Db, current: Integration, change: IntegrationChange) => update(db, sealing, current, change),
    setAuthorizationServer: (
      db: Db,
      current: Integration,
      server: DiscoveredServer,
      client?: RegisteredClient,
    ) => setAuthorizationServer(db, secrets, current, { server, client }),
    lock,
    remove,
    openSecrets: (db: Db, integration: SecretsOwner) => openSecrets(db, secrets, clients, integration),
    clients,
  };
}

async function insert(
  db: Db,
  { vault, secrets }: Sealing,
  integration: NewIntegration,
): Promise<Integration> {
  const id = newId();
  const { projectId, secretVariables = {} } = integration;
  const [row] = await db<IntegrationRow>('integrations')
    .insert({
      id,
      project_id: projectId,
      service_provider: integration.serviceProvider,
      name: integration.name ?? null,
      grant: integration.grant,
      client_id: integration.clientId,
      client_secret_sealed: secrets.seal('client_secret_sealed', { id, projectId }, integration.clientSecret),
      webhook_secret_sealed: secrets.seal(
        'webhook_secret_sealed',
        { id, projectId },
        integration.webhookSecret,
      ),
      secret_variables_sealed: sealSecretVariables(vault, { id, projectId }, secretVariables),
      scopes: integration.scopes,
      optional_scopes: integration.optionalScopes,
      variables: integration.variables,
      settings: integration.settings,
      has_own_callback: integration.hasOwnCallback ?? false,
      created_by: integration.createdBy,
      updated_by: integration.createdBy,
    })
    .returning('*');
  if (row === undefined) throw new Error('an inserted integration was not returned');
  return toIntegration(row);
}

/** Those of the ids that there are in a project. */
async function findMany(db: Db, ids: readonly string[], projectId: string): Promise<Integration[]> {
  if (ids.length === 0) return [];
  const rows = await db<IntegrationRow>('integrations')
    .where({ project_id: projectId })
    .whereIn('id', [...ids])
    .whereNull('deleted_at');
  return rows.map(toIntegration);
}

/** The integration, or undefined where it does not exist in any of the given projects. */
async function find(db: Db, id: string, projectIds: readonly string[]): Promise<Integration | undefined> {
  const query = db<IntegrationRow>('integrations').where({ id }).whereIn('project_id', projectIds);
  const row = await query.whereNull('deleted_at').first<IntegrationRow>(INTEGRATION_COLUMNS);
  return row && toIntegration(row);
}

/** Also one that has been deleted, for what is done with its grants until they are erased. */
async function findEvenDeleted(
  db: Db,
  id: string,
  projectIds: readonly string[],
): Promise<Integration | undefined> {
  const row = await db<IntegrationRow>('integrations')
    .where({ id })
    .whereIn('project_id', projectIds)
    .first();
  return row && toIntegration(row);
}

/** For addresses that are public and name no project. */
async function findOfAnyProject(db: Db, id: string): Promise<Integration | undefined> {
  const row = await db<IntegrationRow>('integrations').where({ id }).whereNull('deleted_at').first();
  return row && toIntegration(row);
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
  const rows = await db<IntegrationRow>('integrations')
    .whereIn('project_id', filter.projectIds)
    .whereNull('deleted_at')
    .modify((query) => {
      if (filter.serviceProvider !== undefined) query.where('service_provider', filter.serviceProvider);
      if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
    })
    .orderBy('id', 'desc')
    .limit(filter.limit);
  return rows.map(toIntegration);
}

/** Changes the given fields if the version still is `version`; undefined when another request changed it first. */
async function update(
  db: Db,
  { vault, secrets }: Sealing,
  current: Integration,
  change: IntegrationChange,
): Promise<Integration | undefined> {
  const { id, projectId } = current;
  const [row] = await db<IntegrationRow>('integrations')
    .where({ id, project_id: projectId, version: current.version })
    .whereNull('deleted_at')
    .update({
      ...(change.name !== undefined && { name: change.name }),
      ...(change.logoHash !== undefined && { logo_hash: change.logoHash }),
      ...(change.grant !== undefined && { grant: change.grant }),
      ...(change.hasOwnCallback !== undefined && { has_own_callback: change.hasOwnCallback }),
      ...(change.clientId !== undefined && { client_id: change.clientId }),
      ...(change.scopes && { scopes: change.scopes }),
      ...(change.optionalScopes && { optional_scopes: change.optionalScopes }),
      ...(change.variables && { variables: change.variables }),
      ...(change.settings && { settings: change.settings }),
      ...(change.disabled !== undefined && {
        disabled_reason: change.disabled?.reason ?? null,
        disabled_at: change.disabled && (current.disabled?.at ?? db.fn.now()),
      }),
      ...(change.clientSecret !== undefined &&
        (await secrets.rotateSecret(db, current, 'client_secret', change.clientSecret))),
      ...(change.webhookSecret !== undefined &&
        (await secrets.rotateSecret(db, current, 'webhook_secret', change.webhookSecret))),
      ...(change.secretVariables && {
        secret_variables_sealed: sealSecretVariables(vault, current, {
          ...(await secrets.remainingVariables(db, current)),
          ...change.secretVariables,
        }),
      }),
      // The operator's own client takes the place of one that the gateway registered, and may be of another server.
      ...(isOtherClient(current, change) && { authorization_server: null }),
      version: db.raw('version + 1'),
      updated_at: db.fn.now(),
      updated_by: change.updatedBy,
    })
    .returning('*');
  return row && toIntegration(row);
}

/**
 * Keeps what was found out about the integration's authorization server, and with it the client that the gateway has
 * there; undefined where another request changed the integration first. A client of before is forgotten with its
 * secret, which no other server may see.
 */
async function setAuthorizationServer(
  db: Db,
  secrets: IntegrationSecretsStore,
  current: Integration,
  { server, client }: { server: DiscoveredServer; client?: RegisteredClient | undefined },
): Promise<Integration | undefined> {
  const { id, projectId } = current;
  const [row] = await db<IntegrationRow>('integrations')
    .where({ id, project_id: projectId, version: current.version })
    .update({
      authorization_server: JSON.stringify(server),
      ...(client && {
        client_id: client.clientId,
        client_secret_sealed: secrets.seal('client_secret_sealed', current, client.clientSecret),
        previous_client_secret_sealed: null,
        client_secret_rotated_at: db.fn.now(),
      }),
      version: db.raw('version + 1'),
      updated_at: db.fn.now(),
    })
    .returning('*');
  return row && toIntegration(row);
}

/** Locks the row until the transaction ends: foreign keys of new connections wait for it. */
async function lock(trx: Db, { id, projectId }: Integration): Promise<void> {
  await trx('integrations').where({ id, project_id: projectId }).forUpdate().first('id');
}

async function remove(db: Db, { id, projectId }: Integration): Promise<boolean> {
  return (await db('integrations').where({ id, project_id: projectId }).delete()) > 0;
}

/**
 * The secrets to try, the current one first, and the secret variables: those of the organization's client where it stands in
 * the place of the integration's own, whose secret variables it may leave as they are.
 */
async function openSecrets(
  db: Db,
  secrets: IntegrationSecretsStore,
  clients: OrganizationClientsStore,
  { id, projectId, organizationClient = null }: SecretsOwner,
): ReturnType<IntegrationSecretsStore['openSecrets']> {
  const own = await secrets.openSecrets(db, { id, projectId });
  if (organizationClient === null) return own;
  const { clientSecrets, variables } = await clients.openSecrets(db, { ...organizationClient, projectId });
  return {
    clientSecrets,
    clientSecretIds: clientSecrets.map(() => null),
    variables: templateValues({ integrationSecrets: own.variables, organizationSecrets: variables }),
  };
}

/** Whether a change gives the integration another client than it has now. */
async function changesClient(
  db: Db,
  secrets: IntegrationSecretsStore,
  current: Integration,
  { clientId, clientSecret }: ClientChange,
): Promise<boolean> {
  if (clientId !== undefined && clientId !== current.clientId) return true;
  if (clientSecret === undefined) return false;
  return clientSecret !== (await secrets.openClientSecret(db, current));
}

function isOtherClient(current: Integration, { clientId, clientSecret, grant }: IntegrationChange): boolean {
  const isOther = (before: string | null, given: string | null | undefined) =>
    given !== undefined && given !== before;
  return isOther(current.clientId, clientId) || isOther(current.grant, grant) || clientSecret !== undefined;
}
