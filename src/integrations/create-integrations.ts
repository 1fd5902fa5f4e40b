import type { Endpoint } from '../http/endpoint.ts';
import type { Kit } from '../platform/kit.ts';
import type { IntegrationsDependencies } from './integration-endpoints.ts';
import { createIntegrationsEndpoints } from './integrations.router.ts';
import { createIntegrationsStore } from './integrations.store.ts';
import { createReadIntegrationNumbers, type NumbersInput } from './read-integration-numbers.ts';
import { createSecretRecordsEndpoints } from './secret-records.router.ts';
import { createSecretRecordsStore } from './secret-records.store.ts';
import { createSecretUse } from './secret-use.ts';

/** What only the endpoints need of other rooms. */
type EndpointsInput = Omit<
  IntegrationsDependencies,
  'db' | 'integrations' | 'setSecretExpiry' | 'readNumbers'
> &
  Omit<NumbersInput, 'now'>;

/** Builds the integrations, with the records of their client secrets. */
export function createIntegrations(input: Pick<Kit, 'db' | 'vault' | 'log' | 'now'>) {
  const { db } = input;
  const integrations = createIntegrationsStore(input);
  const records = createSecretRecordsStore();
  return {
    integrations,
    listSecrets: (integration: { readonly id: string; readonly projectId: string }) =>
      records.list(db, integration),
    listEndingSecrets: (projectId: string, before: Date) => records.listEnding(db, projectId, before),
    /** Called with the provider's verdict on a client secret. */
    noteSecretVerdict: createSecretUse({ ...input, records }),
    endpoints: (above: EndpointsInput): Endpoint[] => [
      ...createIntegrationsEndpoints({
        ...above,
        db,
        integrations,
        readNumbers: createReadIntegrationNumbers({ ...input, ...above }),
        setSecretExpiry: records.setExpiry,
      }),
      ...createSecretRecordsEndpoints({ ...above, db, integrations, records }),
    ],
  };
}
