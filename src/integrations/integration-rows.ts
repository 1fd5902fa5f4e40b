import { discoveredServer } from '../oauth/discovered-server.ts';
import type { Integration } from './integration.ts';
import type { IntegrationSettings } from './integrations.schema.ts';

export type IntegrationRow = {
  deleted_at: Date | null;
  id: string;
  project_id: string;
  service_provider: string;
  name: string | null;
  logo_hash: string | null;
  grant: string | null;
  client_id: string | null;
  client_secret_sealed: string | null;
  webhook_secret_sealed: string | null;
  secret_variables_sealed: string | null;
  scopes: string[];
  optional_scopes: string[];
  variables: Record<string, string>;
  settings: IntegrationSettings;
  has_own_callback: boolean;
  disabled_reason: string | null;
  disabled_at: Date | null;
  authorization_server: unknown;
  version: number;
  created_at: Date;
  created_by: string;
  updated_at: Date;
  updated_by: string;
};

/** By name, so that connections keep the statements that bring them (platform/postgres/statement-names.ts). */
export const INTEGRATION_COLUMNS = [
  ...['deleted_at', 'id', 'project_id', 'service_provider', 'name', 'logo_hash', 'grant', 'client_id'],
  ...['client_secret_sealed', 'webhook_secret_sealed', 'secret_variables_sealed', 'scopes'],
  ...['optional_scopes', 'variables', 'settings', 'has_own_callback', 'disabled_reason', 'disabled_at'],
  ...['authorization_server', 'version', 'created_at', 'created_by', 'updated_at', 'updated_by'],
] as const satisfies readonly (keyof IntegrationRow)[];

export function toIntegration(row: IntegrationRow): Integration {
  return {
    id: row.id,
    projectId: row.project_id,
    serviceProvider: row.service_provider,
    name: row.name,
    logoHash: row.logo_hash,
    grant: row.grant,
    clientId: row.client_id,
    scopes: row.scopes,
    optionalScopes: row.optional_scopes,
    variables: row.variables,
    settings: row.settings,
    hasOwnCallback: row.has_own_callback,
    disabled: readDisabled(row),
    authorizationServer: discoveredServer.nullable().parse(row.authorization_server ?? null),
    organizationClient: null,
    version: row.version,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}

function readDisabled({ disabled_reason: reason, disabled_at: at }: IntegrationRow): Integration['disabled'] {
  return reason === null || at === null ? null : { reason, at };
}
