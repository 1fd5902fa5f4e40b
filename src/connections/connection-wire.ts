import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { findTenantId } from '../oauth/tenants.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { Connection } from './connection.ts';
import type { ConnectionWire } from './connections.schema.ts';

export function createConnectionWire(
  providers: Providers,
): (connection: Connection) => Promise<ConnectionWire> {
  return async (connection) => wireOf(connection, await providerOf(providers, connection));
}

function wireOf(connection: Connection, provider: Provider | undefined): ConnectionWire {
  const tenantId = provider === undefined ? connection.tenantId : findTenantId(connection, provider);
  return {
    id: connection.id,
    projectId: connection.projectId,
    integrationId: connection.integrationId,
    integrationUserId: connection.endUserId,
    serviceProvider: connection.serviceProvider,
    userId: connection.subject ?? '',
    owner: ownerOf(connection),
    tags: { ...connection.tags },
    status: connection.status,
    statusReason: connection.statusReason,
    grantedScopes: connection.grantedScopes,
    accountId: connection.accountId,
    accountName: connection.accountName,
    tenantId,
    tenantName: connection.tenantName ?? (tenantId === null ? null : connection.accountName),
    authMetadata: authMetadataOf(provider, connection),
    customMetadata: connection.customMetadata,
    lastUsedAt: connection.lastUsedAt?.toISOString() ?? null,
    refreshedAt: connection.refreshedAt?.toISOString() ?? null,
    expiresAt: connection.accessTokenExpiresAt?.toISOString() ?? null,
    createdAt: connection.createdAt.toISOString(),
    updatedAt: connection.updatedAt.toISOString(),
  };
}

function ownerOf({ organization, subject }: Connection): ConnectionWire['owner'] {
  if (organization !== null) return { type: 'organization', id: organization };
  return { type: 'user', id: subject ?? '' };
}

async function providerOf(providers: Providers, { projectId, serviceProvider, grant }: Connection) {
  return providers.find(projectId, serviceProvider, grant);
}

function authMetadataOf(
  provider: Provider | undefined,
  connection: Connection,
): ConnectionWire['authMetadata'] {
  const isNamedByProvider = provider?.variables.some(
    ({ from }) => from === 'token-response' || from === 'account' || from === 'tenant',
  );
  if (connection.accountId === null && connection.accountName === null && !isNamedByProvider) {
    return { NoAuthMetadata: {} };
  }
  const base = provider && resolveUrl(provider.apiBaseUrl, provider, connection.variables);
  return {
    ProviderAccount: {
      accountId: connection.accountId,
      accountName: connection.accountName,
      apiBaseUrl: base?.ok ? base.url : null,
    },
  };
}
