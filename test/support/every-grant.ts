import type { Catalog } from '../../src/catalog/loading/catalog.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { listAuthMethods } from '../../src/catalog/schema/provider-auth-methods.ts';

/** Every provider of the catalog as it is for each of its grants, with a name that tells them apart. */
export function everyGrant(catalog: Pick<Catalog, 'list'>): [name: string, provider: Provider][] {
  return catalog
    .list()
    .flatMap(listAuthMethods)
    .map((provider) => [
      provider.grant === null ? provider.id : `${provider.id} (${provider.grant})`,
      provider,
    ]);
}
