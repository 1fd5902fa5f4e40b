import type { Endpoint } from '../http/endpoint.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Kit } from '../platform/kit.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { IntegrationsDependencies } from './integration-endpoints.ts';
import { createIntegrationLogosStore } from './integration-logos.store.ts';
import { createIntegrationsEndpoints } from './integrations.router.ts';
import { createIntegrationsStore } from './integrations.store.ts';
import { createLogoPicturesRouter } from './logo-pictures.router.ts';
import { createOrganizationClientsEndpoints } from './organization-clients/organization-clients.router.ts';
import { createReadIntegrationNumbers, type NumbersInput } from './read-integration-numbers.ts';
import { createSecretRecordsEndpoints } from './secrets/secret-records.router.ts';
import { createSecretRecordsStore } from './secrets/secret-records.store.ts';
import { createSecretUse } from './secrets/secret-use.ts';

/** Of one address and process, from the database. */
const LOGOS_PER_MINUTE = 1_000;

/** What only the endpoints need of other rooms. */
type EndpointsInput = Omit<
  IntegrationsDependencies,
  'db' | 'integrations' | 'setSecretExpiry' | 'saveLogo' | 'readNumbers'
> &
  Omit<NumbersInput, 'now'> & {
    organizationId(projectId: string, organization: string): Promise<string>;
  };

/** Builds the integrations, with the records of their client secrets. */
export function createIntegrations(input: Pick<Kit, 'db' | 'vault' | 'log' | 'now'>) {
  const { db } = input;
  const integrations = createIntegrationsStore(input);
  const records = createSecretRecordsStore();
  const logos = createIntegrationLogosStore();
  return {
    integrations,
    listSecrets: (integration: { readonly id: string; readonly projectId: string }) =>
      records.list(db, integration),
    listEndingSecrets: (projectId: string, before: Date) => records.listEnding(db, projectId, before),
    /** Called with the provider's verdict on a client secret. */
    noteSecretVerdict: createSecretUse({ ...input, records }),
    /** The same for a version of an organization's client. */
    noteOrganizationVerdict: createSecretUse({ ...input, records: integrations.clients }),
    chores: [
      {
        ...HOURLY,
        name: 'clients of organizations that are out of use',
        run: () => integrations.clients.sweepOfAnyProject(db),
      },
    ] satisfies Chore[],
    /** Serves the logos that operators gave integrations. */
    logoPictures: createLogoPicturesRouter({
      findLogo: (id, hash) => logos.findOfAnyProject(db, id, hash),
      limiter: createRateLimiter({ limit: LOGOS_PER_MINUTE, windowSeconds: 60 }),
    }),
    /** `above.db`: a transaction that they run in. */
    endpoints: (above: EndpointsInput & { readonly db?: Db }): Endpoint[] => {
      const parts = {
        db,
        ...above,
        integrations,
        readNumbers: createReadIntegrationNumbers({ ...input, ...above }),
        setSecretExpiry: records.setExpiry,
        saveLogo: logos.save,
      };
      return [
        ...createIntegrationsEndpoints(parts),
        ...createOrganizationClientsEndpoints(parts),
        ...createSecretRecordsEndpoints({ ...parts, records }),
      ];
    },
  };
}
