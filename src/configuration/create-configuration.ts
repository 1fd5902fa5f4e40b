import type { RecordActivity } from '../activity/record.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import type { Kit } from '../platform/kit.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import { createConfigurationEndpoints } from './configuration.router.ts';
import { createConfigurationObjectsStore } from './configuration-objects.store.ts';
import { createConfigurationService, type Scope } from './configuration-service.ts';
import { describeProviders } from './described-providers.ts';
import { createDocumentSchema } from './document.schema.ts';
import { createReadYaml } from './yaml/yaml-threads.ts';

type ConfigurationInput = Pick<Kit, 'db' | 'vault'> & {
  readonly access: Access;
  readonly integrations: IntegrationsStore;
  readonly providers: NamedProviders;
  readonly recordActivity: RecordActivity;
  readonly allowPrivateNetworks: boolean;
  lockProject(trx: Db, projectId: string): Promise<unknown>;
  /** The operations that an apply is made of, on its transaction. */
  openScope(trx: Db): Scope;
};

/** Builds configuration as files. */
export function createConfiguration(input: ConfigurationInput) {
  const { allowPrivateNetworks, vault, integrations } = input;
  const options = { allowPrivateNetworks };
  const service = createConfigurationService({
    ...input,
    reader: { vault, integrations, objects: createConfigurationObjectsStore({ vault }) },
    schema: createDocumentSchema({ allowInsecure: allowPrivateNetworks }),
    readYaml: createReadYaml(),
    describeProviders: (projectId, document) =>
      describeProviders(input.providers, options, projectId, document),
    lockProject: async (trx, projectId) => (await input.lockProject(trx, projectId)) !== undefined,
  });
  return { endpoints: (): Endpoint[] => createConfigurationEndpoints(service) };
}
