import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import {
  claimOwnership,
  connectFailure,
  connectToPostgres,
  createInUseError,
  findLocalOwner,
  waitForOwner,
} from './owner.ts';
import {
  disownLockFiles,
  isAlive,
  isPostmaster,
  readPostmasterPid,
  removeEmptyLockFiles,
} from './pidfile.ts';
import { EmbeddedPostgresError, errorText, type Log, USE_DATABASE_URL } from './types.ts';

/** Longer than an owner needs to come back after its connection broke, on a machine whose cores are all taken. */
const OWNER_WATCH_MS = 4_000;
const PAUSE_MS = 50;

interface Directory {
  dataDir: string;
  socketDir: string;
  log: Log;
  /** Epoch in ms after which a server that neither serves nor ends is an error. */
  deadline: number;
}

/**
 * Makes sure, before anything is spawned, that no Postgres serves the data directory. Connecting first, rather than
 * trusting postmaster.pid, also finds a server in another container on the same volume, whose process id means
 * nothing here. A server whose gateway died is stopped; a stale lock file is made to look stale.
 * Throws EmbeddedPostgresError naming the owner when a living gateway has the directory.
 */
export async function takeOverDataDir(directory: Directory): Promise<void> {
  const { dataDir, socketDir, deadline } = directory;
  for (;;) {
    await removeEmptyLockFiles(dataDir);
    const pid = await readPostmasterPid(dataDir);
    if (pid === undefined) return;
    const found = await tryToConnect(socketDir);
    if (typeof found !== 'string') await stopOrphan(found, pid, directory);
    if (found === 'absent') {
      if (!isAlive(pid)) return;
      if (!(await isPostmaster(pid, dataDir))) return disownLockFiles(dataDir);
    }
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `A Postgres (process ${pid}) holds ${dataDir} but does not answer. End that process, then start again. ${USE_DATABASE_URL}`,
      );
    }
    await delay(PAUSE_MS);
  }
}

async function tryToConnect(socketDir: string): Promise<pg.Client | 'absent' | 'busy'> {
  try {
    return await connectToPostgres(socketDir, `contender pid=${process.pid}`);
  } catch (error) {
    const failure = connectFailure(error);
    if (failure !== 'other') return failure;
    throw new EmbeddedPostgresError(
      `The Postgres that serves the data directory refuses us: ${errorText(error)}. ${USE_DATABASE_URL}`,
    );
  }
}

/** Claims the lock; that of a process which has ended stands until the server has noticed its end. */
async function claimAfter(client: pg.Client): Promise<boolean> {
  const until = Date.now() + OWNER_WATCH_MS;
  for (;;) {
    if (await claimOwnership(client)) return true;
    const pid = await findLocalOwner(client);
    if (pid === undefined || isAlive(pid) || Date.now() > until) return false;
    await delay(PAUSE_MS);
  }
}

async function stopOrphan(
  client: pg.Client,
  pid: number,
  { dataDir, log, deadline }: Directory,
): Promise<void> {
  try {
    if (!(await claimAfter(client))) throw await createInUseError(client, dataDir);
    if (await waitForOwner(client, OWNER_WATCH_MS)) throw await createInUseError(client, dataDir);
    if (!(await isPostmaster(pid, dataDir))) {
      throw new EmbeddedPostgresError(
        `A Postgres serves ${dataDir} from where this process cannot see it, probably another container. Stop that container, then start again. ${USE_DATABASE_URL}`,
      );
    }
    log.warn({ pid, dataDir }, 'Stopping a Postgres that an ended gateway left behind');
    process.kill(pid, 'SIGINT');
  } finally {
    client.end().catch(() => undefined);
  }
  while ((await isPostmaster(pid, dataDir)) && Date.now() < deadline) await delay(PAUSE_MS);
}
