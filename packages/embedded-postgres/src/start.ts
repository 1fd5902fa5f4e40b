import { realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { writeAccessRules } from './access.ts';
import { type Binaries, findPackageDir, prepareBinaries } from './binaries.ts';
import { errorCode } from './error-code.ts';
import { adoptOwner, chooseIdentity, chooseStateDir, FALLBACK_DIR } from './identity.ts';
import { prepareDataDir } from './initdb.ts';
import { describeEnd, type Postmaster, spawnPostmaster, waitUntilReady } from './launch.ts';
import { formatOwnerName, holdOwnership } from './owner.ts';
import { appUrl, prepareSocketDir } from './socket.ts';
import { takeOverDataDir } from './takeover.ts';
import { EmbeddedPostgresError, errorText, type Log, type ProcessIds } from './types.ts';

const START_LIMIT_MS = 30_000;
const START_RETRY_MS = 50;
const RESTARTS_MAX = 5;
const RESTART_WINDOW_MS = 60_000;

export interface EmbeddedPostgres {
  /** The database `app`, over a socket that only this process's user may reach. Stays the same across restarts. */
  url: string;
  dataDir: string;
  /** The process id of the running server, for tests and diagnosis; undefined while it restarts. */
  pid(): number | undefined;
  /** Called once, if the server ended and could not be brought back: five restarts within a minute. */
  onExit(listener: (error: Error) => void): void;
  /** Stops the server; safe to call twice. Close every pool first. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  log: Log;
  /** Not durable, but fast; for tests. */
  testMode?: boolean;
  /** Where data goes that the server's own user could not reach below `dataDir`. */
  fallbackDir?: string;
  /** Another place of the platform package than the installed one. */
  packageDir?: string;
}

/**
 * Starts a Postgres of our own: a packaged server below `dataDir`, reachable through a unix socket only, which ends
 * with this process however that ends, and is restarted when it ends by itself. Runs under an unprivileged user id when
 * this process is root. One process owns a data directory at a time.
 * Throws EmbeddedPostgresError, whose message says what to do, when it cannot run here.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = await prepare(options);
  const url = appUrl(place.socketDir);
  const supervisor = createSupervisor(place);
  try {
    await supervisor.start();
  } catch (error) {
    await place.cleanUp();
    throw error;
  }
  return { url, dataDir: place.dataDir, ...supervisor };
}

interface Place {
  binaries: Binaries;
  dataDir: string;
  socketDir: string;
  ids: ProcessIds | undefined;
  testMode: boolean;
  log: Log;
  cleanUp(): Promise<void>;
}

async function prepare(options: EmbeddedOptions): Promise<Place> {
  const { log, testMode = false, fallbackDir = FALLBACK_DIR } = options;
  const packageDir = options.packageDir ?? findPackageDir();
  const identity = await chooseIdentity();
  const stateDir = await chooseStateDir({ dataDir: options.dataDir, fallbackDir, ids: identity.server, log });
  const binaries = await prepareBinaries({ packageDir, stateDir, ids: identity.server, log });
  const dataDir = await realpath(await prepareDataDir({ stateDir, binaries, identity, testMode }));
  const ids = await adoptOwner(dataDir, identity.server);
  return { binaries, dataDir, ids, testMode, log, ...(await prepareSocketDir(dataDir)) };
}

interface Running {
  postmaster: Postmaster;
  owner: { release(): Promise<void> };
}

type Supervisor = Pick<EmbeddedPostgres, 'pid' | 'onExit' | 'stop'> & { start(): Promise<void> };

function createSupervisor(place: Place): Supervisor {
  const { log } = place;
  const listeners: Array<(error: Error) => void> = [];
  const restartedAt: number[] = [];
  const stopping = new AbortController();
  let running: Running | undefined;
  let restarting: Promise<void> = Promise.resolve();
  let stopped: Promise<void> | undefined;

  const start = async (): Promise<void> => {
    const started = await launch(place);
    running = started;
    started.postmaster.ended.then((end) => {
      running = undefined;
      if (stopping.signal.aborted) return;
      log.error({ reason: describeEnd(end) }, 'The embedded Postgres ended unexpectedly');
      restarting = started.owner.release().then(restart);
    });
    log.info({ pid: started.postmaster.pid, dataDir: place.dataDir }, 'The embedded Postgres is ready');
  };

  const restart = async (): Promise<void> => {
    let last: unknown = new Error('it kept ending');
    while (!stopping.signal.aborted) {
      const now = Date.now();
      const recent = restartedAt.filter((at) => now - at < RESTART_WINDOW_MS);
      if (recent.length >= RESTARTS_MAX) return giveUp(last);
      restartedAt.splice(0, Infinity, ...recent, now);
      const stillWanted = await delay(100 * 2 ** recent.length - 100, true, {
        signal: stopping.signal,
      }).catch(() => false);
      if (!stillWanted) return;
      try {
        return await start();
      } catch (error) {
        last = error;
        log.error({ reason: errorText(error) }, 'The embedded Postgres could not be restarted');
      }
    }
  };

  const giveUp = (cause: unknown): void => {
    const error = new EmbeddedPostgresError(
      `The embedded Postgres ended ${RESTARTS_MAX} times within a minute and was given up: ${errorText(cause)}`,
    );
    for (const listener of listeners) listener(error);
  };

  const stop = async (): Promise<void> => {
    stopping.abort();
    await restarting;
    const last = running;
    await last?.owner.release();
    await last?.postmaster.stop();
    await place.cleanUp();
  };

  return {
    start,
    pid: () => running?.postmaster.pid,
    onExit: (listener) => {
      listeners.push(listener);
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Spawns a server of our own and waits until it is ready; any earlier server on the directory is stopped first. */
async function launch(place: Place): Promise<Running> {
  const { dataDir, socketDir, log } = place;
  const deadline = Date.now() + START_LIMIT_MS;
  const name = formatOwnerName(new Date());
  for (;;) {
    await takeOverDataDir({ dataDir, socketDir, log, deadline });
    await writeAccessRules(dataDir, place.ids, log);
    const postmaster = spawnPostmaster({ ...place, postgres: place.binaries.postgres });
    const readiness = await waitUntilReady(postmaster, dataDir, socketDir, name);
    if (readiness.state === 'ready') return own(place, postmaster, readiness.client, name, deadline);
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `Another Postgres keeps the lock of ${dataDir}. End it, then start again.`,
      );
    }
    await delay(START_RETRY_MS);
  }
}

async function own(
  place: Place,
  postmaster: Postmaster,
  client: pg.Client,
  name: string,
  deadline: number,
): Promise<Running> {
  try {
    const owner = await holdOwnership({ ...place, client, name, deadline });
    await createAppDatabase(client);
    return { postmaster, owner };
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
}

async function createAppDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(`SELECT 1 FROM pg_database WHERE datname = 'app'`);
  if (rowCount) return;
  await client.query('CREATE DATABASE app').catch((error: unknown) => {
    const alreadyThere = errorCode(error) === '42P04';
    if (!alreadyThere) throw error;
  });
}
