import { clientValues, needsClientSecret } from '../../catalog/facts/client-values.ts';
import { templateValues } from '../../catalog/facts/template-values.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { createOrganizationSecrets } from '../../integrations/organization-clients/organization-secrets.store.ts';
import { openSecretVariables } from '../../integrations/secrets/secret-variables.ts';
import type { Vault } from '../../platform/vault.ts';

/** An integration with the organization's client that made a connection, as one query finds them. */
export type ClientRow = {
  project_id: string;
  integration_id: string;
  client_id: string | null;
  integration_variables: Record<string, string>;
  client_secret_sealed: string | null;
  secret_variables_sealed: string | null;
  /** The following are null where there is none. */
  organization_client: string | null;
  organization_variables: Record<string, string> | null;
  organization_secret_sealed: string | null;
  organization_secret_variables_sealed: string | null;
};

type Values = Readonly<Record<string, string>>;

/** The integration's variables, secret ones included, and of its client what API calls may name. */
export function readIntegrationValues(vault: Vault, provider: Provider, row: ClientRow): Values {
  const { client_secret_sealed: sealed, integration_id: rowId, project_id: projectId } = row;
  const context = { table: 'integrations', column: 'client_secret_sealed', rowId, projectId };
  const secret = sealed === null || !needsClientSecret(provider) ? undefined : vault.open(sealed, context);
  return templateValues({
    integration: row.integration_variables,
    integrationSecrets: openIntegrationSecrets(vault, row),
    gateway: clientValues(provider, row.client_id ?? '', secret),
  });
}

/** The same with the organization's client, whose variables count more than the integration's. */
export function readOrganizationValues(
  vault: Vault,
  provider: Provider,
  row: ClientRow,
  versionId: string,
): Values {
  const { clientSecrets, variables } = createOrganizationSecrets({ vault }).openRow({
    id: versionId,
    project_id: row.project_id,
    client_secret_sealed: needsClientSecret(provider) ? row.organization_secret_sealed : null,
    previous_client_secret_sealed: null,
    client_secret_rotated_at: null,
    secret_variables_sealed: row.organization_secret_variables_sealed,
  });
  return templateValues({
    integration: row.integration_variables,
    integrationSecrets: openIntegrationSecrets(vault, row),
    organization: row.organization_variables ?? {},
    organizationSecrets: variables,
    gateway: clientValues(provider, row.organization_client ?? '', clientSecrets[0]),
  });
}

function openIntegrationSecrets(vault: Vault, row: ClientRow): Record<string, string> {
  const owner = { id: row.integration_id, projectId: row.project_id };
  return openSecretVariables(vault, owner, row.secret_variables_sealed);
}
