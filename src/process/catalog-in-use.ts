import { readBundle } from '../catalog/loading/builtin-providers.ts';
import { type Catalog, loadCatalog } from '../catalog/loading/catalog.ts';
import { createReplaceableCatalog } from '../catalog/loading/replaceable-catalog.ts';
import { markTakenCatalog, readTakenCatalog, type TakenCatalog } from '../catalog/taking/taken-catalog.ts';
import type { Config } from '../config.ts';
import type { Chore } from '../platform/chores.ts';
import type { Logger } from '../platform/logger.ts';
import { VERSION } from '../settings/version.ts';

type CatalogSettings = Pick<Config, 'catalogDir' | 'catalogTakenDir' | 'allowPrivateNetworks'>;

export type OpenCatalog = {
  readonly catalog: Catalog;
  readonly watchCatalog: (onReplaced: () => void) => Chore;
};

/** So long it takes until every process has a catalog that an operator takes or takes back, at most. */
const LOOK_MS = 10_000;

/**
 * The catalog at the start: the built-in one, under one that an operator has taken, under files of CATALOG_DIR. A taken one that
 * cannot be used stops nothing: the log says why, and the built-in one serves. Throws CatalogError for faults of CATALOG_DIR.
 */
export async function openCatalog(settings: CatalogSettings, log: Logger): Promise<OpenCatalog> {
  const directory = settings.catalogTakenDir;
  // Before it is read: what is placed meanwhile is found by the first look.
  let mark = await markTakenCatalog(directory);
  const taken = await readTakenCatalog(directory, { version: VERSION, mayTakeSeconds: true }).catch(
    (error: unknown) => {
      log.error({ err: error }, 'the taken catalog cannot be used: the built-in one serves');
      return undefined;
    },
  );
  const catalog = createReplaceableCatalog(load(settings, taken));
  if (mark !== undefined) logUse(log, catalog, taken);

  async function look(onReplaced: () => void): Promise<void> {
    const seen = await markTakenCatalog(directory);
    if (seen === mark) return;
    mark = seen;
    const found = await readTakenCatalog(directory, { version: VERSION, mayTakeSeconds: false });
    catalog.replace(load(settings, found));
    onReplaced();
    logUse(log, catalog, found);
  }

  return {
    catalog,
    watchCatalog: (onReplaced) => ({
      name: 'taken catalog',
      intervalMs: LOOK_MS,
      run: () => look(onReplaced),
    }),
  };
}

/** What the gateway would serve with this catalog; undefined: with the built-in one. */
function load(settings: CatalogSettings, taken: TakenCatalog | undefined): Catalog {
  const { catalogDir: extraDirectory, allowPrivateNetworks } = settings;
  return loadCatalog({
    taken: taken && readBundle(taken.bundle, { allowPrivateNetworks }),
    extraDirectory,
    allowPrivateNetworks,
  });
}

function logUse(log: Logger, catalog: Catalog, taken: TakenCatalog | undefined): void {
  const fields = { version: taken?.version ?? VERSION, providers: catalog.ids().length };
  log.info(fields, taken === undefined ? 'the built-in catalog is in use' : 'a taken catalog is in use');
}
