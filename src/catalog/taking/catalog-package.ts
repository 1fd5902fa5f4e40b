import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import semver from 'semver';
import { z } from 'zod';
import { parseJson } from '../../lib/parse-json.ts';
import { CatalogError, type CatalogFault, FILE_BYTES_MAX, readProviderText } from '../loading/catalog.ts';
import { writeBundle } from '../loading/write-bundle.ts';
import type { Provider } from '../schema/provider.schema.ts';

export const CATALOG_PACKAGE = '@integration-gateway/catalog';
/**
 * Of the package. It is raised where a gateway of before would take files for something else than they mean; a field that
 * it does not know is refused by itself.
 */
export const CATALOG_FORMAT = 1;

/** Some ten times of what the package has. */
const PACKED_BYTES_MAX = 16 * 1024 * 1024;
const UNPACKED_BYTES_MAX = 128 * 1024 * 1024;
const PROVIDERS_MAX = 20_000;
/** Faults that are reported of one package. */
const FAULTS_MAX = 20;

/** dist/catalog.json of the package. A later format may say more. */
const manifest = z.object({
  format: z.int().positive(),
  version: z.string().refine((text) => semver.valid(text) === text, 'a version'),
  /** SHA-256 of each provider file, in hexadecimal, by its name. */
  providers: z.record(z.string().regex(/^[a-z0-9-]+\.yaml$/), z.string().regex(/^[0-9a-f]{64}$/)),
});
type Manifest = z.infer<typeof manifest>;

/** The package is not what it should be, or not for this gateway. The message says what to do. */
export class CatalogPackageError extends Error {
  override readonly name = 'CatalogPackageError';
}

export type CatalogPackage = {
  readonly version: string;
  readonly providers: readonly Provider[];
  /** As `readBundle` reads it. */
  readonly bundle: string;
};

/**
 * Reads a package of the catalog as `npm pack` makes it, and judges each file as a built-in one. Its bytes must have the
 * integrity that the operator gives, which is what npm's registry says of the version. Throws CatalogPackageError,
 * CatalogError for provider files with faults.
 */
export async function readCatalogPackage(bytes: Buffer, integrity: string): Promise<CatalogPackage> {
  checkIntegrity(bytes, integrity);
  const files = await unpack(bytes);
  const { version, providers: hashes } = readManifest(files);
  if (Object.keys(hashes).length > PROVIDERS_MAX) throw new CatalogPackageError('It has too many providers.');
  const faults: CatalogFault[] = [];
  const providers: Provider[] = [];
  const contents: unknown[] = [];
  for (const [name, hash] of Object.entries(hashes)) {
    const text = requireFile(files, name, hash);
    const read = readProviderText(name, text, { allowPrivateNetworks: false, isProofNeeded: true }, faults);
    if (faults.length >= FAULTS_MAX) break;
    if (read === undefined) continue;
    if (`${read.provider.id}.yaml` !== name)
      faults.push({ file: name, path: 'id', reason: 'must be the name of the file' });
    providers.push(read.provider);
    contents.push(read.content);
  }
  if (faults.length > 0) throw new CatalogError(faults);
  return { version, providers, bundle: writeBundle(contents) };
}

const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;

function checkIntegrity(bytes: Buffer, integrity: string): void {
  if (!INTEGRITY.test(integrity))
    throw new CatalogPackageError(
      'The integrity is a text such as `sha512-…==`: `npm view <package>@<version> dist.integrity`.',
    );
  const found = computeIntegrity(bytes);
  if (found !== integrity)
    throw new CatalogPackageError(`The file is another one than the integrity says: it has ${found}.`);
}

/** As npm writes it (Subresource Integrity). */
export function computeIntegrity(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}

/** The files below the folder `package`, by path. */
async function unpack(bytes: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  if (bytes.length > PACKED_BYTES_MAX) throw new CatalogPackageError('The file is too large for a catalog.');
  const archive = await promisify(gunzip)(bytes, { maxOutputLength: UNPACKED_BYTES_MAX }).catch(
    () => undefined,
  );
  const entries = archive && (await unpackTar(archive, { strict: true }).catch(() => undefined));
  if (entries === undefined)
    throw new CatalogPackageError('The file is no package of npm (.tgz), or is too large for a catalog.');
  return new Map(
    entries.flatMap(({ header, data }) =>
      data === undefined ? [] : [[header.name.replace(/^package\//, ''), Buffer.from(data)]],
    ),
  );
}

function readManifest(files: ReadonlyMap<string, Buffer>): Manifest {
  const described = z
    .object({ name: z.literal(CATALOG_PACKAGE), version: z.string() })
    .safeParse(readJson(files, 'package.json'));
  if (!described.success) throw new CatalogPackageError(`The file is no ${CATALOG_PACKAGE}.`);
  const content = readJson(files, 'dist/catalog.json');
  const { data: head } = z.object({ format: z.int() }).safeParse(content);
  if (head !== undefined && head.format > CATALOG_FORMAT)
    throw new CatalogPackageError(
      `Version ${described.data.version} has format ${head.format}, and this gateway reads up to ${CATALOG_FORMAT}: update the gateway first.`,
    );
  const parsed = manifest.safeParse(content);
  if (!parsed.success || parsed.data.version !== described.data.version)
    throw new CatalogPackageError('dist/catalog.json is missing or does not fit its package.');
  return parsed.data;
}

function readJson(files: ReadonlyMap<string, Buffer>, path: string): unknown {
  return parseJson(files.get(path)?.toString('utf8') ?? '');
}

function requireFile(files: ReadonlyMap<string, Buffer>, name: string, hash: string): string {
  const bytes = files.get(`dist/providers/${name}`);
  const fits =
    bytes !== undefined &&
    bytes.length <= FILE_BYTES_MAX &&
    createHash('sha256').update(bytes).digest('hex') === hash;
  if (!fits) throw new CatalogPackageError(`dist/providers/${name} is not what dist/catalog.json says.`);
  return bytes.toString('utf8');
}
