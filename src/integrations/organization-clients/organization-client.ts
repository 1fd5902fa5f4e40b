import { templateValues } from '../../catalog/facts/template-values.ts';
import type { Integration } from '../integration.ts';

/** An OAuth client that an organization has at an integration's provider, in one version. It holds no secret. */
export type OrganizationClient = Readonly<{
  /** Of the version, which connections keep. */
  versionId: string;
  /** Of the client, whatever its version. */
  id: string;
  projectId: string;
  integrationId: string;
  /** The organization, and the application's own id of it. */
  endUserId: string;
  organization: string;
  clientId: string;
  hasSecret: boolean;
  variables: Record<string, string>;
  /** Null: those of the integration. */
  scopes: string[] | null;
  version: number;
  workedAt: Date | null;
  refusedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}>;

/** The integration as one organization uses it: with that client, its variables and its scopes. Pure. */
export function applyOrganizationClient(integration: Integration, client: OrganizationClient): Integration {
  const { versionId, organization, clientId, scopes } = client;
  return {
    ...integration,
    clientId,
    ...(scopes !== null && { scopes, optionalScopes: [] }),
    variables: templateValues({ integration: integration.variables, organization: client.variables }),
    organizationClient: { versionId, organization },
    // What follows from either is outdated once one of both has changed.
    version: integration.version + client.version,
  };
}
