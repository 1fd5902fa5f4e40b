import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { z } from 'zod';
import { readErrorCode } from '../../lib/error-code.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { type CatalogPackage, CatalogPackageError, readCatalogPackage } from './catalog-package.ts';

/** Says what was taken; it is written last, so that what it names is there. */
const RECORD = 'taken.json';
const FILE_NAME = /^[\w.+-]{1,200}$/;

const record = z.object({
  version: z.string(),
  integrity: z.string(),
  takenAt: z.string(),
  /** The package as it came, from which a gateway of another version makes its own bundle. */
  package: z.string().regex(FILE_NAME),
  bundle: z.object({
    file: z.string().regex(FILE_NAME),
    sha256: z.string(),
    /** The version of the gateway that made it. */
    madeBy: z.string(),
  }),
});
type TakenRecord = z.infer<typeof record>;

export type TakenCatalog = { readonly version: string; readonly bundle: Buffer };

/** Puts a package that was read into the folder, in one step for gateways that look there. */
export async function placeTakenCatalog(
  directory: string,
  {
    bytes,
    integrity,
    read,
    madeBy,
    takenAt,
  }: {
    readonly bytes: Buffer;
    readonly integrity: string;
    readonly read: CatalogPackage;
    readonly madeBy: string;
    readonly takenAt: Date;
  },
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const sha256 = hash(read.bundle);
  const name = `catalog-${read.version}-${sha256.slice(0, 12)}`;
  const content: TakenRecord = {
    version: read.version,
    integrity,
    takenAt: takenAt.toISOString(),
    package: `${name}.tgz`,
    bundle: { file: `${name}.json`, sha256, madeBy },
  };
  await place(directory, content.package, bytes);
  await place(directory, content.bundle.file, read.bundle);
  await place(directory, RECORD, `${JSON.stringify(content, null, 2)}\n`);
  const kept = new Set([content.package, content.bundle.file, RECORD]);
  const others = (await readdir(directory)).filter((file) => file.startsWith('catalog-') && !kept.has(file));
  await Promise.all(others.map((file) => rm(join(directory, file), { force: true })));
}

/** The built-in catalog is in use again. Says whether another one was. */
export async function removeTakenCatalog(directory: string): Promise<boolean> {
  if ((await markTakenCatalog(directory)) === undefined) return false;
  await rm(join(directory, RECORD));
  return true;
}

/** Changes with each catalog that is placed; undefined where there is none. */
export async function markTakenCatalog(directory: string): Promise<string | undefined> {
  const found = await stat(join(directory, RECORD)).catch(ignoreMissing);
  return found && `${found.ino} ${found.mtimeMs} ${found.size}`;
}

/**
 * The catalog of the folder; undefined where there is none, or none newer than the built-in one, whose version is the gateway's.
 * One that a gateway of another version took is read again from its package, which takes seconds, where `mayTakeSeconds`. Throws
 * CatalogPackageError, CatalogError, or an Error where files are damaged.
 */
export async function readTakenCatalog(
  directory: string,
  { version: builtInVersion, mayTakeSeconds }: { readonly version: string; readonly mayTakeSeconds: boolean },
): Promise<TakenCatalog | undefined> {
  const text = await readFile(join(directory, RECORD), 'utf8').catch(ignoreMissing);
  if (text === undefined) return undefined;
  const parsed = record.safeParse(parseJson(text));
  if (!parsed.success) throw new Error(`${RECORD} is damaged`);
  const { version, integrity, bundle } = parsed.data;
  if (!isNewer(version, builtInVersion)) return undefined;
  if (bundle.madeBy === builtInVersion) {
    const bytes = await readFile(join(directory, bundle.file));
    if (hash(bytes) !== bundle.sha256) throw new Error(`${bundle.file} is damaged`);
    return { version, bundle: bytes };
  }
  if (!mayTakeSeconds)
    throw new CatalogPackageError(
      `A gateway of version ${bundle.madeBy} took it: run the command of this version, or start the gateway again.`,
    );
  const read = await readCatalogPackage(await readFile(join(directory, parsed.data.package)), integrity);
  return { version, bundle: Buffer.from(read.bundle) };
}

export function isNewer(version: string, than: string): boolean {
  return semver.valid(version) !== null && semver.gt(version, than);
}

async function place(directory: string, name: string, content: Buffer | string): Promise<void> {
  const temporary = join(directory, `.${name}.${process.pid}`);
  await writeFile(temporary, content, { flush: true });
  await rename(temporary, join(directory, name));
}

function hash(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function ignoreMissing(error: unknown): undefined {
  if (readErrorCode(error) === 'ENOENT') return undefined;
  throw error;
}
