import { createHash } from 'node:crypto';
import { chmod, chown, lchown, mkdir, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from './error-code.ts';
import { EmbeddedPostgresError, type Log, type ProcessIds, USE_DATABASE_URL } from './types.ts';

/**
 * The server's own uid under root. It needs no passwd entry (only initdb looks one up), and no other daemon runs
 * with it, whereas `nobody` is shared and would let any other such daemon read the data.
 */
const PRIVATE_ID = 61_999;

/** Who runs initdb and who runs the server. Postgres refuses to run as root. */
export interface Identity {
  initdb: ProcessIds | undefined;
  server: ProcessIds | undefined;
}

/** The identities for this process: none unless it is root. */
export async function chooseIdentity(): Promise<Identity> {
  if (process.getuid?.() !== 0) return { initdb: undefined, server: undefined };
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const nobody = /^nobody:[^:]*:(\d+):(\d+):/m.exec(passwd);
  if (!nobody) {
    throw new EmbeddedPostgresError(
      `The embedded Postgres must not run as root and /etc/passwd has no user "nobody" to run it with. Start the gateway as an ordinary user. ${USE_DATABASE_URL}`,
    );
  }
  return {
    initdb: { uid: Number(nobody[1]), gid: Number(nobody[2]) },
    server: { uid: PRIVATE_ID, gid: PRIVATE_ID },
  };
}

interface Mode {
  mode: number;
  uid: number;
  gid: number;
}

/** Whether `ids` may pass through a directory, by its mode bits (access lists are not looked at). */
function mayTraverse(directory: Mode, ids: ProcessIds): boolean {
  if (directory.uid === ids.uid) return (directory.mode & 0o100) !== 0;
  if (directory.gid === ids.gid) return (directory.mode & 0o010) !== 0;
  return (directory.mode & 0o001) !== 0;
}

/** Whether `ids` can reach something inside an existing directory. */
async function isReachable(path: string, ids: ProcessIds): Promise<boolean> {
  for (let current = await realpath(path); ; current = dirname(current)) {
    if (!mayTraverse(await stat(current), ids)) return false;
    if (current === dirname(current)) return true;
  }
}

async function deepestExisting(path: string): Promise<string> {
  for (let current = path; ; current = dirname(current)) {
    const found = await stat(current).catch(() => undefined);
    if (found || current === dirname(current)) return current;
  }
}

/**
 * mkdir -p with mode 0755 whatever the umask says: the server's own uid has to pass through. Each is made by itself:
 * Node's own recursive mkdir tries for ever where the system says ENOENT below a directory that exists, as /proc does.
 */
export async function makeOpenDirectory(path: string): Promise<string> {
  if (await isDirectory(path)) return realpath(path);
  await makeOpenDirectory(dirname(path));
  try {
    await mkdir(path);
    await chmod(path, 0o755);
  } catch (error) {
    // Another process was faster.
    if (!(await isDirectory(path))) throw error;
  }
  return realpath(path);
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined || found.isDirectory()) return found !== undefined;
  throw Object.assign(new Error(`${path} is no directory`), { code: 'ENOTDIR' });
}

/** Where no other place is named, the data goes here that the server's own user could not reach below DATA_DIR. */
export const FALLBACK_DIR = '/var/lib/integration-gateway';

/** The two places where the state of the embedded Postgres may be; see chooseStateDir. */
export function stateDirs(dataDir: string, fallbackDir: string): { wanted: string; fallback: string } {
  const path = resolve(dataDir);
  // One fallback per data directory, so that two checkouts never meet in one database.
  const name = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return { wanted: join(path, 'postgres'), fallback: join(fallbackDir, name) };
}

/**
 * The directory that holds everything of the embedded Postgres, created if missing, as a real path:
 * `<dataDir>/postgres`, or, when the server's uid cannot reach that (a project below /root, mode 0700), a directory
 * named after it below `fallbackDir`; the log says so.
 */
export async function chooseStateDir(options: {
  dataDir: string;
  fallbackDir: string;
  ids: ProcessIds | undefined;
  log: Log;
}): Promise<string> {
  const { ids } = options;
  const { wanted, fallback } = stateDirs(options.dataDir, options.fallbackDir);
  if (!ids || (await isReachable(await deepestExisting(wanted), ids))) return makeOpenDirectory(wanted);
  const made = await makeOpenDirectory(fallback).catch((error: unknown) => {
    throw new EmbeddedPostgresError(
      `The embedded Postgres cannot live in ${wanted} (its user may not pass a directory above it) nor in ${fallback} (${errorCode(error)}). Set DATA_DIR to a directory below one that everybody may pass. ${USE_DATABASE_URL}`,
    );
  });
  options.log.warn(
    { wanted, used: made },
    'The database cannot be reached below DATA_DIR by its own user and lives elsewhere',
  );
  return made;
}

/** chown -R, without following links. */
export async function giveTo(path: string, ids: ProcessIds): Promise<void> {
  try {
    await chown(path, ids.uid, ids.gid);
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      await lchown(join(entry.parentPath, entry.name), ids.uid, ids.gid);
    }
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'EPERM' && code !== 'EINVAL') throw error;
    throw new EmbeddedPostgresError(
      `Root may not give ${path} to another user here (${code}; a container without capabilities?), and Postgres refuses to run as root. Start the gateway as an ordinary user. ${USE_DATABASE_URL}`,
    );
  }
}

/**
 * The ids to run the server with on an existing data directory: its owner's, so that a directory made by an ordinary
 * user still works after a start as root. One that belongs to root (a restored copy) is given to `ids`.
 */
export async function adoptOwner(
  directory: string,
  ids: ProcessIds | undefined,
): Promise<ProcessIds | undefined> {
  const { uid, gid } = await stat(directory);
  if (!ids) {
    if (uid === process.getuid?.()) {
      await closeDirectory(directory);
      return undefined;
    }
    throw new EmbeddedPostgresError(
      `${directory} belongs to user id ${uid}. Start the gateway as that user or as root, or set DATA_DIR to another directory. ${USE_DATABASE_URL}`,
    );
  }
  await closeDirectory(directory);
  if (uid !== 0) return { uid, gid };
  await giveTo(directory, ids);
  return ids;
}

/** A copy made without modes is open to all, which Postgres refuses to serve from. */
async function closeDirectory(directory: string): Promise<void> {
  const { mode } = await stat(directory);
  if ((mode & 0o077) !== 0) await chmod(directory, 0o700);
}
