import type { DistributiveOmit, ProjectChange } from '../activity/actions.ts';
import type { RecordActivity } from '../activity/record.ts';
import { formatEtag } from '../http/conditional.ts';
import type { Principal } from '../http/principal.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access, AccessMode } from '../projects/access.ts';
import type { Origins } from '../providers/catalog-wire.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import type { Integration } from './integration.ts';
import type { StoredLogo } from './integration-logos.store.ts';
import { toIntegrationWire } from './integration-wire.ts';
import type { IntegrationNumbers, IntegrationWire } from './integrations.schema.ts';
import type { IntegrationsStore } from './integrations.store.ts';
export type IntegrationsDependencies = {
  db: Db;
  providers: NamedProviders;
  access: Access;
  integrations: IntegrationsStore;
  recordActivity: RecordActivity;
  /** Notes when the newer client secret ends at the provider. */
  setSecretExpiry(trx: Db, integration: Integration, expiresAt: Date | null): Promise<void>;
  /** Keeps a logo that an operator gave the integration; null: none any more. */
  saveLogo(trx: Db, integration: Integration, logo: StoredLogo | null): Promise<void>;
  origins: Origins;
  /** Integrations that a project may have. */
  integrationsMax: number;
  countConnections(db: Db, integration: Integration): Promise<number>;
  /** Connections and calls of each of the integrations, by id. */
  readNumbers(integrations: readonly Integration[]): Promise<ReadonlyMap<string, IntegrationNumbers>>;
  /** Hides the integration, and has what it holds revoked and erased; in the transaction of the delete. */
  hide(trx: Db, integration: Integration, actor: Principal): Promise<void>;
  /** Begins with that once the transaction has committed, and waits briefly. */
  eraseSoon(integration: Integration): Promise<void>;
  /** Revokes grants that users have authorized and not completed; called before every delete. */
  revokePending(integration: Integration): Promise<void>;
  /**
   * Lets its connections be refreshed at once, or those of that version of an organization's client; called when the client
   * has changed, which may have been refused.
   */
  endWaiting(
    trx: Db,
    client: Pick<Integration, 'id' | 'projectId'> & { readonly organizationClientId?: string },
  ): Promise<void>;
};

type IntegrationChange = DistributiveOmit<
  Extract<ProjectChange, { action: `integration.${string}` }>,
  'projectId' | 'subjectId'
>;

export function findIntegration(
  { access, db, integrations }: IntegrationsDependencies,
  principal: Principal,
  id: string,
  mode: AccessMode,
): Promise<Integration> {
  return access.find(principal, mode, 'integration_not_found', (projectIds) =>
    integrations.find(db, id, projectIds),
  );
}

/** The integration as the API shows it. */
export async function describeIntegration(
  { providers, origins }: IntegrationsDependencies,
  integration: Integration,
): Promise<IntegrationWire> {
  const { projectId, serviceProvider, grant } = integration;
  return toIntegrationWire(integration, await providers.find(projectId, serviceProvider, grant), origins);
}

export async function replyWith(
  deps: IntegrationsDependencies,
  integration: Integration,
): Promise<{ body: IntegrationWire; etag: string }> {
  return { body: await describeIntegration(deps, integration), etag: formatEtag(integration.version) };
}

export function recordChange(
  { recordActivity }: IntegrationsDependencies,
  trx: Db,
  { id, projectId }: Integration,
  change: IntegrationChange,
): Promise<void> {
  return recordActivity(trx, { ...change, projectId, subjectId: id });
}

/** The UUID that `createdBy` and `updatedBy` show: the operator, or the API key that stood in for one. */
export function actorId(principal: Exclude<Principal, { kind: 'end_user' }>): string {
  return principal.kind === 'operator' ? principal.operatorId : principal.apiKeyId;
}
