import type { RecordActivity } from '../activity/record.ts';
import type { Catalog } from '../catalog/loading/catalog.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Changes } from '../platform/change-notices.ts';
import type { Kit } from '../platform/kit.ts';
import type { Log } from '../platform/logger.ts';
import type { Db } from '../platform/postgres/database.ts';
import { createCatalogEndpoints } from './catalog.router.ts';
import { createCatalogFileRouter } from './catalog-file.router.ts';
import { createCatalogSummaryEndpoint } from './catalog-summary.router.ts';
import { createBuiltInSummaries } from './catalog-summary.ts';
import {
  type CustomProvidersDependencies,
  createCustomProvidersEndpoints,
} from './custom-providers.router.ts';
import type { DryRun } from './custom-providers.schema.ts';
import { customProvidersStore as store } from './custom-providers.store.ts';
import { createCustomProviders } from './custom-providers.ts';
import { createProviderFilesEndpoint } from './provider-files.router.ts';

export type ProvidersInput = Pick<Kit, 'db' | 'now' | 'publicUrl'> & {
  readonly log: Pick<Log, 'warn'>;
  readonly catalog: Catalog;
  readonly changes: Pick<Changes, 'subscribe'>;
  /** The webhooks' own origin; undefined where it is `publicUrl`. */
  readonly webhookUrl: string | undefined;
  readonly allowPrivateNetworks: boolean;
};

/** What only the endpoints need of rooms above. */
type EndpointsInput = {
  readonly access: Pick<
    CustomProvidersDependencies,
    'projectsOf' | 'projectToChange' | 'requireProjectAccess'
  >;
  readonly recordActivity: RecordActivity;
  /** Every request that the provider would get. */
  dryRun(provider: Provider): Promise<DryRun>;
  /** The same for one that goes into the catalog, at a gateway that has no address yet. */
  dryRunInCatalog(provider: Provider): Promise<DryRun>;
};

/** Builds the providers: the catalog's, and those of each project. */
export function createProviders(input: ProvidersInput) {
  const { db, catalog, changes, allowPrivateNetworks } = input;
  const options = { allowPrivateNetworks };
  const providers = createCustomProviders({
    ...input,
    listVersions: (projectId) => store.listVersions(db, projectId),
    findRows: (projectId, id) => store.find(db, id, [projectId]),
    options,
  });
  const readBuiltIn = createBuiltInSummaries(input);
  changes.subscribe({
    changed({ table, projectId }) {
      if (table === 'custom_providers') providers.invalidate(projectId);
    },
    markAllStale: providers.markAllStale,
    setHasNotices: providers.setHasNotices,
  });

  function endpoints({ access, recordActivity, dryRun, dryRunInCatalog }: EndpointsInput): Endpoint[] {
    const custom = {
      list: async (projectIds: readonly string[]) =>
        (await store.list(db, projectIds)).flatMap((row) => providers.toProvider(row) ?? []),
      find: async (id: string, projectIds: readonly string[]) =>
        (await store.find(db, id, projectIds)).flatMap((row) => providers.toProvider(row) ?? []),
    };
    const { publicUrl, webhookUrl } = input;
    const shared = { ...access, publicUrl, origins: { publicUrl, webhookUrl } };
    return [
      ...createCatalogEndpoints({ ...shared, catalog, custom }),
      createCatalogSummaryEndpoint({ ...shared, readBuiltIn, listCustom: custom.list }),
      ...createCustomProvidersEndpoints({ ...shared, db, store, options, recordActivity, dryRun }),
      createProviderFilesEndpoint({ ...shared, catalog, options, dryRunInCatalog }),
    ];
  }

  /** The providers as a transaction sees them, and the operations on a project's own. */
  function changesOn({ access, recordActivity, dryRun, db: trx }: EndpointsInput & { readonly db: Db }) {
    const seen = createCustomProviders({
      ...input,
      listVersions: (projectId) => store.listVersions(trx, projectId),
      findRows: (projectId, id) => store.find(trx, id, [projectId]),
      options,
    });
    const { publicUrl, webhookUrl } = input;
    const deps = { ...access, origins: { publicUrl, webhookUrl }, db: trx, store, options };
    return {
      providers: seen,
      endpoints: createCustomProvidersEndpoints({ ...deps, recordActivity, dryRun }),
    };
  }

  return { providers, endpoints, changesOn, catalogFile: createCatalogFileRouter({ catalog, readBuiltIn }) };
}
