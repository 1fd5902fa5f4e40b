import { readFile } from 'node:fs/promises';
import { createRecordActivity } from '../activity/record.ts';
import { readBundle } from '../catalog/loading/builtin-providers.ts';
import { CatalogError, loadCatalog } from '../catalog/loading/catalog.ts';
import { CatalogPackageError, readCatalogPackage } from '../catalog/taking/catalog-package.ts';
import { type CatalogDifference, compareCatalogs } from '../catalog/taking/compare-catalogs.ts';
import {
  isNewer,
  placeTakenCatalog,
  readTakenCatalog,
  removeTakenCatalog,
} from '../catalog/taking/taken-catalog.ts';
import type { Config } from '../config.ts';
import { OperatorCommandError } from '../operators/gateway/operator-commands.ts';
import type { Db } from '../platform/postgres/database.ts';
import { VERSION } from '../settings/version.ts';
import type { Terminal } from './read-password.ts';

export type CatalogOptions = {
  /** The package as `npm pack` downloads it. */
  readonly from?: string | undefined;
  readonly integrity?: string | undefined;
  readonly 'accept-hosts'?: boolean | undefined;
  readonly 'built-in'?: boolean | undefined;
};
type Taking = {
  readonly settings: Config;
  readonly terminal: Terminal;
  readonly systemUser: string;
  readonly db: Db;
};

/**
 * `take-catalog`: every gateway that looks into the folder has the newer catalog within seconds. Everything is judged before
 * a store is opened. Throws OperatorCommandError.
 */
export async function prepareTakeCatalog(
  options: CatalogOptions,
  settings: Config,
): Promise<(taking: Taking) => Promise<void>> {
  if (options['built-in']) return takeBuiltIn;
  const { from, integrity } = options;
  if (from === undefined || integrity === undefined)
    throw new OperatorCommandError(
      '`take-catalog` needs --from <file.tgz> and --integrity <sha512-…>, or --built-in.',
    );
  const bytes = await readFile(from).catch(() => {
    throw new OperatorCommandError(`${from} cannot be read.`);
  });
  const read = await readCatalogPackage(bytes, integrity).catch(refuse);
  if (!isNewer(read.version, VERSION))
    throw new OperatorCommandError(
      `Version ${read.version} is not newer than the catalog that is built into this gateway, ${VERSION}.`,
    );
  const difference = compareCatalogs(await openCurrent(settings), read.providers);
  if (difference.newHosts.length > 0 && !options['accept-hosts'])
    throw new OperatorCommandError(
      `${describeHosts(difference)}\nNothing was taken. Where this is right, run it again with --accept-hosts.`,
    );
  return async ({ db, systemUser, terminal }) => {
    const { version } = read;
    await placeTakenCatalog(settings.catalogTakenDir, {
      ...{ bytes, integrity, read, madeBy: VERSION, takenAt: new Date() },
    });
    await record(db, { version, integrity, systemUser });
    terminal.print(
      `The catalog ${version} is taken: ${read.providers.length} providers, ${difference.added.length} of them new. Gateways that read ${settings.catalogTakenDir} have it within seconds.`,
    );
    if (difference.missing.length > 0)
      terminal.print(`Not in it, and served as built in: ${difference.missing.join(', ')}`);
  };
}

async function takeBuiltIn({ settings, terminal, systemUser, db }: Taking): Promise<void> {
  const wasTaken = await removeTakenCatalog(settings.catalogTakenDir);
  await record(db, { version: VERSION, integrity: null, systemUser });
  terminal.print(
    wasTaken ? 'Gateways have the built-in catalog again within seconds.' : 'The built-in catalog is in use.',
  );
}

/** What gateways have now; a taken catalog that is damaged counts as none. */
async function openCurrent({ catalogTakenDir }: Config) {
  const taken = await readTakenCatalog(catalogTakenDir, { version: VERSION, mayTakeSeconds: true }).catch(
    () => undefined,
  );
  const options = { allowPrivateNetworks: false };
  return loadCatalog({ ...options, taken: taken && readBundle(taken.bundle, options) });
}

function describeHosts({ newHosts }: CatalogDifference): string {
  const lines = newHosts.map(({ provider, hosts }) => `  ${provider}: ${hosts.join(', ')}`);
  return `Known providers would have hosts that they have not had, to which credentials may go:\n${lines.join('\n')}`;
}

function record(
  db: Db,
  details: { readonly version: string; readonly integrity: string | null; readonly systemUser: string },
): Promise<void> {
  const recordActivity = createRecordActivity({ announce: () => undefined });
  return recordActivity(db, {
    projectId: null,
    actor: { kind: 'gateway' },
    action: 'gateway.catalog_taken',
    subjectId: null,
    details,
  });
}

function refuse(error: unknown): never {
  if (error instanceof CatalogPackageError || error instanceof CatalogError)
    throw new OperatorCommandError(error.message);
  throw error;
}
