import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Integration, IntegrationChange } from './integration.ts';
import { assertComplete, assertRequiredVariables, assertVariables } from './integration-rules.ts';
import type { IntegrationsStore } from './integrations.store.ts';

/**
 * Refuses a change to a grant that the integration lacks something for: its client, scopes or variables, by what it has
 * and what the request brings.
 */
export async function assertFitsGrant(
  { integrations, db }: { readonly integrations: IntegrationsStore; readonly db: Db },
  provider: Provider,
  current: Integration,
  change: Omit<IntegrationChange, 'updatedBy'>,
): Promise<void> {
  const [secret] = (await integrations.openSecrets(db, current)).clientSecrets;
  assertComplete(provider, {
    clientId: change.clientId ?? current.clientId ?? undefined,
    clientSecret: change.clientSecret ?? secret,
    scopes: change.scopes ?? (current.scopes.length > 0 ? current.scopes : undefined),
  });
  const variables = change.variables ?? current.variables;
  assertVariables(provider, variables);
  const kept = await integrations.remainingVariables(db, current);
  assertRequiredVariables(provider, { ...kept, ...variables });
}
