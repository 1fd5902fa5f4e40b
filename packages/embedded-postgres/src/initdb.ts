import { execFile } from 'node:child_process';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Binaries, CHILD_ENVIRONMENT } from './binaries.ts';
import { errorCode } from './error-code.ts';
import { giveTo, type Identity } from './identity.ts';
import { placeDirectory } from './placing.ts';
import { EmbeddedPostgresError, USE_DATABASE_URL } from './types.ts';

const run = promisify(execFile);

/** The major version of the packaged binaries; a data directory belongs to one major. */
const MAJOR = '18';
const ABANDONED_AFTER_MS = 10 * 60_000;

/**
 * The data directory below `stateDir`, made by initdb if there is none. initdb works in a directory of its own that
 * is renamed at the end, so a kill at any time leaves no half-made cluster, and of several starters one wins.
 * Throws EmbeddedPostgresError for the directory of another major version, or when initdb fails.
 */
export async function prepareDataDir(options: {
  stateDir: string;
  binaries: Binaries;
  identity: Identity;
  testMode: boolean;
}): Promise<string> {
  const { stateDir } = options;
  const final = join(stateDir, `data-${MAJOR}`);
  const version = await readVersion(final);
  if (version === MAJOR) return final;
  if (version !== undefined) throw otherMajor(final, version);
  const entries = await readdir(stateDir);
  for (const older of entries.filter((name) => /^data-\d+$/.test(name)).map((name) => join(stateDir, name))) {
    const olderVersion = await readVersion(older);
    if (olderVersion !== undefined) throw otherMajor(older, olderVersion);
  }
  await sweep(stateDir, entries);
  await placeDirectory(final, 'data.init-', (directory) => initialize({ ...options, directory }));
  return final;
}

async function readVersion(directory: string): Promise<string | undefined> {
  try {
    return (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new EmbeddedPostgresError(
      `${directory} cannot be read (${errorCode(error)}): it belongs to another user. Start the gateway as that user or as root, or set DATA_DIR to another directory.`,
    );
  }
}

function otherMajor(directory: string, version: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${directory} was written by Postgres ${version}, this release brings Postgres ${MAJOR}, which cannot read it. Either serve that directory with your own Postgres ${version} and set DATABASE_URL to it, or go back to the release that wrote it, copy the data out of it, move the directory away and load the data into the new one.`,
  );
}

async function sweep(stateDir: string, entries: string[]): Promise<void> {
  for (const name of entries.filter((entry) => entry.startsWith('data.init-'))) {
    const path = join(stateDir, name);
    const found = await stat(path).catch(() => undefined);
    const abandoned = found !== undefined && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS;
    if (abandoned) await rm(path, { recursive: true, force: true });
  }
}

async function initialize(options: {
  directory: string;
  binaries: Binaries;
  identity: Identity;
  testMode: boolean;
}): Promise<void> {
  const { directory, binaries, identity, testMode } = options;
  if (identity.initdb) await giveTo(directory, identity.initdb);
  // The builtin provider's collation never changes, so an update of the system's locales cannot corrupt text indexes.
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-locale'];
  const args = ['-D', directory, '-U', 'app', '-A', 'peer', ...locale, '--no-instructions'];
  try {
    await run(binaries.initdb, testMode ? [...args, '--no-sync'] : args, {
      ...identity.initdb,
      cwd: '/',
      env: CHILD_ENVIRONMENT,
      timeout: 120_000,
    });
  } catch (error) {
    throw initdbFailed(error);
  }
  if (identity.server) await giveTo(directory, identity.server);
}

/** initdb ends with "removing contents of data directory", whatever went wrong; its own fault lines say more. */
function initdbFailed(error: unknown): EmbeddedPostgresError {
  const stderr =
    typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr) : String(error);
  const faults = stderr.split('\n').filter((line) => /FATAL|ERROR|PANIC|error:|could not/.test(line));
  const detail = (faults.length > 0 ? faults : stderr.trim().split('\n').slice(-3)).join(' ').trim();
  const advice = stderr.includes('effective user ID')
    ? `Postgres needs a user with an entry in /etc/passwd. ${USE_DATABASE_URL}`
    : USE_DATABASE_URL;
  return new EmbeddedPostgresError(`The embedded database could not be created: ${detail} ${advice}`);
}
