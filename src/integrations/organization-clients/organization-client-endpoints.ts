import { formatEtag } from '../../http/conditional.ts';
import { HttpError } from '../../http/errors.ts';
import type { Principal, PrincipalOf } from '../../http/principal.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { AccessMode } from '../../projects/access.ts';
import type { Integration } from '../integration.ts';
import { type IntegrationsDependencies, recordChange } from '../integration-endpoints.ts';
import type { OrganizationClient } from './organization-client.ts';
import type { OrganizationClientWire } from './organization-clients.schema.ts';

export const TAG = 'Integrations';
export const ABSENT = 'organization_client_not_found';

export type OrganizationClientsDependencies = IntegrationsDependencies & {
  organizationId(projectId: string, organization: string): Promise<string>;
};
export type Caller = PrincipalOf<['operator', 'api_key']>;

export const replyWith = (client: OrganizationClient) => ({
  body: describeClient(client),
  etag: formatEtag(client.version),
});

export type FoundClient = {
  readonly projectId: string;
  readonly integration: Integration;
  readonly client: OrganizationClient;
};

export async function findClient(
  { access, integrations, db }: OrganizationClientsDependencies,
  principal: Principal,
  { id, clientId }: { readonly id: string; readonly clientId: string },
  mode: AccessMode,
): Promise<FoundClient> {
  const found = await access.find(principal, mode, ABSENT, async (projectIds) => {
    const integration = await integrations.find(db, id, projectIds);
    const client = integration && (await integrations.clients.find(db, integration, clientId));
    return integration && { projectId: integration.projectId, integration, client };
  });
  // Whose role is too low hears that first, whichever client was named.
  if (found.client === undefined) throw new HttpError(ABSENT);
  return { ...found, client: found.client };
}

export function recordClientChange(
  deps: OrganizationClientsDependencies,
  trx: Db,
  integration: Integration,
  change: {
    readonly principal: Caller;
    readonly client: OrganizationClient;
    readonly action:
      | 'integration.client_created'
      | 'integration.client_updated'
      | 'integration.client_deleted';
    readonly fields?: readonly string[];
  },
): Promise<void> {
  const { principal: actor, client, action, fields = [] } = change;
  const details = { integrationUserId: client.endUserId, organizationClientId: client.id, fields };
  return recordChange(deps, trx, integration, { actor, action, details });
}

export function describeClient(client: OrganizationClient): OrganizationClientWire {
  const { id, integrationId, organization: organizationId, clientId, hasSecret, variables, scopes } = client;
  return {
    ...{ id, integrationId, organizationId, clientId, hasSecret, variables, scopes },
    lastWorkedAt: client.workedAt?.toISOString() ?? null,
    lastRefusedAt: client.refusedAt?.toISOString() ?? null,
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
  };
}
