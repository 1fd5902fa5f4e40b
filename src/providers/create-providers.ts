import type { RecordActivity } from '../activity/record.ts';
import type { Catalog } from '../catalog/loading/catalog.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Config } from '../config.ts';
import { dryRunDiscovery } from '../dry-run/discovery.ts';
import { buildExampleCall } from '../dry-run/example-call.ts';
import { dryRunOAuth } from '../dry-run/requests.ts';
import { readSamples } from '../dry-run/samples.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Logger } from '../platform/logger.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import { createCatalogEndpoints } from './catalog.router.ts';
import { createCatalogSummaryEndpoint } from './catalog-summary.router.ts';
import { createCustomProvidersEndpoints } from './custom-providers.router.ts';
import type { DryRun } from './custom-providers.schema.ts';
import { customProvidersStore } from './custom-providers.store.ts';
import { createCustomProviders } from './custom-providers.ts';

/** Composes the providers: the catalog's, and those of each project. */
export function createProviders(input: {
  config: Pick<Config, 'publicUrl' | 'webhookUrl' | 'allowPrivateNetworks'>;
  outbound: Outbound;
  database: Pick<Database, 'knex'>;
  catalog: Catalog;
  log: Pick<Logger, 'warn'>;
  now(): number;
}) {
  const { config, catalog, log, now, outbound } = input;
  const { publicUrl, allowPrivateNetworks } = config;
  const db = input.database.knex;
  const store = customProvidersStore;
  const options = { allowPrivateNetworks };
  const providers = createCustomProviders({
    catalog,
    listVersions: (projectId) => store.listVersions(db, projectId),
    findRows: (projectId, id) => store.find(db, id, [projectId]),
    options,
    now,
    log,
  });

  function endpoints({
    access,
    recordActivity,
  }: {
    access: Access;
    recordActivity: RecordActivity;
  }): Endpoint[] {
    const custom = {
      list: async (projectIds: readonly string[]) =>
        (await store.list(db, projectIds)).flatMap((row) => providers.toProvider(row) ?? []),
      find: async (id: string, projectIds: readonly string[]) =>
        (await store.find(db, id, projectIds)).flatMap((row) => providers.toProvider(row) ?? []),
    };
    const shared = { ...access, publicUrl, origins: config };
    return [
      ...createCatalogEndpoints({ ...shared, catalog, custom }),
      createCatalogSummaryEndpoint({ ...shared, catalog, listCustom: custom.list }),
      ...createCustomProvidersEndpoints({
        ...shared,
        db,
        store,
        options,
        recordActivity,
        dryRun: (provider) => dryRun(provider, publicUrl, { outbound, allowHttp: allowPrivateNetworks }),
      }),
    ];
  }

  return { providers, endpoints };
}

/**
 * Everything that a provider would be sent, from the first authorization to a proxied call. Sends nothing, but asks an
 * MCP server for its metadata where it is given a way to.
 */
export async function dryRun(
  described: Provider,
  publicUrl: string,
  asking?: { readonly outbound: Outbound; readonly allowHttp: boolean },
): Promise<DryRun> {
  const samples = await readSamples(described);
  const found = asking && (await dryRunDiscovery({ ...asking, publicUrl }, described, samples));
  const provider = found?.provider ?? described;
  const requests = await dryRunOAuth(provider, samples, publicUrl);
  return {
    requests: {
      registration: found?.registration ?? null,
      ...requests,
      call: buildExampleCall(provider, samples),
    },
    discovery: found?.discovery ?? null,
    notes: samples.notes,
  };
}
