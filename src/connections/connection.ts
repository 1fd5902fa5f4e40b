import type { StoredCredentials } from './credentials.ts';

export type ConnectionStatus = 'active' | 'reauthorization_required';

/** A connection as the management API knows it. It holds no credentials. */
export type Connection = Readonly<{
  id: string;
  projectId: string;
  integrationId: string;
  serviceProvider: string;
  /** The provider's way to authenticate that its integration uses; null: the provider's own. */
  grant: string | null;
  /** Of the user or the organization that has it. */
  endUserId: string;
  /** The application's own id of its user; of an organization's, of who connected it, while they are known. */
  subject: string | null;
  /** The application's own id of the organization that has it; null: a user has. */
  organization: string | null;
  /** The version of an organization's OAuth client that made it; null: the integration's own did. */
  organizationClientId: string | null;
  /** Labels of the application's own. */
  tags: Readonly<Record<string, string>>;
  status: ConnectionStatus;
  statusReason: string | null;
  grantedScopes: string[];
  accountId: string | null;
  accountName: string | null;
  /** The site, organisation or account that calls go to, where the grant may reach several. */
  tenantId: string | null;
  tenantName: string | null;
  variables: Record<string, string>;
  customMetadata: Record<string, never>;
  accessTokenExpiresAt: Date | null;
  credentialsVersion: number;
  lastUsedAt: Date | null;
  /** Of the access token, by the gateway. */
  refreshedAt: Date | null;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}>;

/** What an authorization (or an import) brings: the credentials and what is known about the account. */
export type Grant = Readonly<{
  credentials: StoredCredentials;
  accessTokenExpiresAt: Date | null;
  accessTokenLifetimeSeconds: number | null;
  grantedScopes: string[];
  accountId: string | null;
  accountName: string | null;
  tenantId: string | null;
  tenantName: string | null;
  variables: Record<string, string>;
}>;

/** As it stands in the table, with its provider and its end user. */
export type ConnectionRow = {
  id: string;
  project_id: string;
  integration_id: string;
  service_provider: string;
  grant: string | null;
  end_user_id: string;
  subject: string | null;
  organization: string | null;
  organization_client_id: string | null;
  tags: Record<string, string>;
  status: ConnectionStatus;
  status_reason: string | null;
  granted_scopes: string[];
  account_id: string | null;
  account_name: string | null;
  tenant_id: string | null;
  tenant_name: string | null;
  variables: Record<string, string>;
  custom_metadata: Record<string, never>;
  credentials_sealed: string;
  credentials_version: number;
  access_token_expires_at: Date | null;
  last_used_at: Date | null;
  refreshed_at: Date | null;
  version: number;
  created_at: Date;
  updated_at: Date;
};

export function fromRow(row: ConnectionRow): Connection {
  return {
    id: row.id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    serviceProvider: row.service_provider,
    grant: row.grant,
    endUserId: row.end_user_id,
    subject: row.subject,
    organization: row.organization,
    organizationClientId: row.organization_client_id,
    tags: row.tags,
    status: row.status,
    statusReason: row.status_reason,
    grantedScopes: row.granted_scopes,
    accountId: row.account_id,
    accountName: row.account_name,
    tenantId: row.tenant_id,
    tenantName: row.tenant_name,
    variables: row.variables,
    customMetadata: row.custom_metadata,
    accessTokenExpiresAt: row.access_token_expires_at,
    credentialsVersion: row.credentials_version,
    lastUsedAt: row.last_used_at,
    refreshedAt: row.refreshed_at,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
