import type { RecordActivity } from '../activity/record.ts';
import type { ProviderOptions } from '../catalog/loading/provider-from-file.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import type { Kit } from '../platform/kit.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import { CUSTOM_PREFIX, providerFromDescription } from '../providers/custom-description.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import { createConfigurationEndpoints } from './configuration.router.ts';
import { createConfigurationObjectsStore } from './configuration-objects.store.ts';
import { createConfigurationService, type Scope } from './configuration-service.ts';
import { type ConfigurationDocument, createDocumentSchema } from './document.schema.ts';
import type { FindProvider } from './wanted-integration.ts';
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
    findProvider: (projectId, document) => createFindProvider(input.providers, options, projectId, document),
    lockProject: async (trx, projectId) => (await input.lockProject(trx, projectId)) !== undefined,
  });
  return { endpoints: (): Endpoint[] => createConfigurationEndpoints(service) };
}

/** A provider that the file describes counts before the one that there is. */
function createFindProvider(
  providers: NamedProviders,
  options: ProviderOptions,
  projectId: string,
  { customProviders }: ConfigurationDocument,
): FindProvider {
  const described = new Map(customProviders.map((one) => [`${CUSTOM_PREFIX}${one.name}`, one]));
  const known = new Map<string, ReturnType<FindProvider>>();
  async function find(id: string): ReturnType<FindProvider> {
    const own = described.get(id);
    if (own !== undefined) {
      const loaded = providerFromDescription({ ...own.definition, id: own.name }, options);
      return loaded.ok ? loaded.provider : { fault: 'The file describes this provider with faults' };
    }
    const found = await providers.find(projectId, id, null);
    if (found !== undefined) return found;
    const refusal = providers.refusalOf(projectId, id);
    return { fault: refusal instanceof HttpError ? refusal.detail : 'No such provider' };
  }
  return (id) => {
    const found = known.get(id) ?? find(id);
    known.set(id, found);
    return found;
  };
}
