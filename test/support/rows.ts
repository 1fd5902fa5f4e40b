import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Grant } from '../../src/connections/connection.ts';
import { createConnectionsStore } from '../../src/connections/connections.store.ts';
import {
  createRevocationsStore,
  type GrantToRevoke,
} from '../../src/credentials/revoking/revocations.store.ts';
import { createIntegrationsStore } from '../../src/integrations/integrations.store.ts';
import { newId } from '../../src/lib/ids.ts';
import {
  createVault,
  parseEncryptionKeys,
  type RotatingVault,
  type Vault,
} from '../../src/platform/vault.ts';

/** A vault with a fresh key. */
export function createTestVault(): RotatingVault {
  return createVault(parseEncryptionKeys(`t1:${randomBytes(32).toString('base64')}`));
}

export async function insertProject(db: Knex, name = 'Test project'): Promise<string> {
  const id = newId();
  await db('projects').insert({ id, name });
  return id;
}

export async function insertEndUser(db: Knex, projectId: string, subject = 'user-1'): Promise<string> {
  const id = newId();
  await db('end_users').insert({ id, project_id: projectId, subject });
  return id;
}

export async function insertIntegration(
  db: Knex,
  vault: Vault,
  projectId: string,
  serviceProvider: string,
  scopes: string[] = [],
): Promise<string> {
  const integration = await createIntegrationsStore({ vault }).insert(db, {
    projectId,
    serviceProvider,
    grant: null,
    clientId: 'client-1',
    clientSecret: 'client-secret-1',
    webhookSecret: null,
    scopes,
    optionalScopes: [],
    variables: {},
    settings: {},
    createdBy: newId(),
  });
  return integration.id;
}

/** A project with an integration and a user. */
export async function insertOwner(db: Knex, vault: Vault, serviceProvider: string) {
  const projectId = await insertProject(db);
  const integrationId = await insertIntegration(db, vault, projectId, serviceProvider);
  return { projectId, integrationId, endUserId: await insertEndUser(db, projectId) };
}

/** A grant of which only the credentials are known: nobody tells that it ends, nor whose account it is of. */
export function buildGrant(credentials: Grant['credentials'], more: Partial<Grant> = {}): Grant {
  return {
    credentials,
    accessTokenExpiresAt: null,
    accessTokenLifetimeSeconds: null,
    grantedScopes: [],
    accountId: null,
    accountName: null,
    tenantId: null,
    tenantName: null,
    variables: {},
    ...more,
  };
}

/** A connection with an access token that expired a minute ago, unless `grant` says otherwise. */
export async function insertConnection(
  db: Knex,
  vault: Vault,
  owner: { projectId: string; integrationId: string; endUserId: string },
  grant: Partial<Grant> = {},
): Promise<string> {
  const credentials = { values: { accessToken: 'access-1' }, refreshToken: 'refresh-1' };
  const expired = { accessTokenExpiresAt: new Date(Date.now() - 60_000), accessTokenLifetimeSeconds: 1800 };
  return createConnectionsStore({ vault }).insert(
    db,
    { ...owner, organizationClientId: null },
    buildGrant(credentials, { ...expired, ...grant }),
  );
}

/** Grants of connections that are gone, with a request that revokes each at its origin. */
export async function insertGrantsToRevoke(
  db: Knex,
  vault: Vault,
  origins: readonly string[],
): Promise<void> {
  const { projectId, integrationId } = await insertOwner(db, vault, 'acme');
  const grants = origins.map(
    (origin): GrantToRevoke => ({
      projectId,
      integrationId,
      connectionId: null,
      serviceProvider: 'acme',
      consent: { ends: 'token', clientId: 'client-1', accountId: null, accountName: null, endUserId: null },
      request: {
        messages: [{ url: `${origin}/revoke`, method: 'POST', headers: {}, body: 'token=t' }],
        reading: { errorCode: 'error', errorMeanings: {} },
      },
    }),
  );
  await createRevocationsStore({ db, vault }).insert(db, grants);
}
