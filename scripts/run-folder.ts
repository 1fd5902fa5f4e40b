import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '#embedded-postgres/pidfile.ts';

const PREFIX = 'gateway-run-';
const MEMORY_DISK = '/dev/shm';
/** Some ten times what a run fills. */
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * A folder for everything that a run of the tests writes: databases, profiles of browsers, reports. In memory where
 * there is room, since a database made on ext4 costs ten times the processor (0.27 instead of 0.03 s), mostly in its
 * look for free inodes. Removes what killed runs left.
 */
export function createRunFolder(): { path: string; remove: () => void } {
  const parents = [tmpdir(), ...(hasRoomInMemory() ? [MEMORY_DISK] : [])];
  for (const parent of parents) removeLeftOvers(parent);
  const path = mkdtempSync(join(parents.at(-1) ?? tmpdir(), `${PREFIX}${process.pid}-`));
  // The embedded Postgres, which runs under an unprivileged user where this process is root, must get through.
  chmodSync(path, 0o711);
  return { path, remove: () => remove(path) };
}

function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY_DISK, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_DISK);
    return (
      bavail * bsize > ROOM_BYTES && process.availableMemory() > 2 * ROOM_BYTES && allowsPrograms(MEMORY_DISK)
    );
  } catch {
    return false;
  }
}

/** The embedded Postgres may have to be copied there (proc(5), `/proc/mounts`). */
function allowsPrograms(directory: string): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.map((line) => line.split(' ')).findLast(([, at]) => at === directory)?.[3];
  return options !== undefined && !options.split(',').includes('noexec');
}

function removeLeftOvers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (!Number.isNaN(pid) && !isAlive(pid)) remove(join(parent, name));
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  } catch {
    // A process that is still ending writes there, which the next run removes; or it is another user's.
  }
}
