import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { errorCode } from './error-code.ts';
import { EmbeddedPostgresError, type Log } from './types.ts';

/** The data directory's owner holds this advisory lock of the database `postgres` for as long as it lives. */
const OWNER_LOCK = '20330, 1';
const OWNER_PREFIX = 'owner ';
const RECONNECT_PAUSE_MS = 50;
const COUNT = z.tuple([z.object({ count: z.coerce.number() })]);

/** The application name of an owner's connection, shown to a gateway that is refused; Postgres cuts it at 63 bytes. */
export function formatOwnerName(startedAt: Date): string {
  return `${OWNER_PREFIX}pid=${process.pid} host=${readHost()} since=${startedAt.toISOString().slice(0, 16)}Z`;
}

/** A connection to the database `postgres` through the socket in `socketDir`. Rejects with pg's or the system's error. */
export async function connectToPostgres(socketDir: string, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({
    host: socketDir,
    // Named, or PGPORT would change the socket's name.
    port: 5432,
    user: 'app',
    database: 'postgres',
    ssl: false,
    application_name: applicationName,
    connectionTimeoutMillis: 2000,
    query_timeout: 5000,
  });
  // A connection may break between two queries; the next query, or 'end', tells.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}

/** Takes the owner lock for this session; false when another session holds it. */
export async function claimOwnership(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`SELECT pg_try_advisory_lock(${OWNER_LOCK}) AS claimed`);
  return z.tuple([z.object({ claimed: z.boolean() })]).parse(rows)[0].claimed;
}

/**
 * Whether a session that calls itself an owner exists, now or within `watchMs`: an owner whose connection just broke
 * comes back within that time.
 */
export async function waitForOwner(client: pg.Client, watchMs: number): Promise<boolean> {
  const until = Date.now() + watchMs;
  let wasThere = false;
  for (;;) {
    const { rows } = await client.query(
      `SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '${OWNER_PREFIX}%' AND pid <> pg_backend_pid()`,
    );
    const isThere = COUNT.parse(rows)[0].count > 0;
    // A session that ends gives up its lock some time before it is gone from the list.
    if (isThere && wasThere) return true;
    wasThere = isThere;
    if (Date.now() >= until && !isThere) return false;
    await delay(100);
  }
}

/** The process that calls itself the owner; undefined where none does, or from another machine or container. */
export async function findLocalOwner(client: pg.Client): Promise<number | undefined> {
  const owner = /^owner pid=(\d+) host=(\S+) /.exec((await readOwnerName(client)) ?? '');
  return owner?.[2] === readHost() ? Number(owner[1]) : undefined;
}

async function readOwnerName(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query(
    `SELECT application_name AS name FROM pg_stat_activity
     WHERE application_name LIKE '${OWNER_PREFIX}%' AND pid <> pg_backend_pid() LIMIT 1`,
  );
  return z.array(z.object({ name: z.string() })).parse(rows)[0]?.name;
}

function readHost(): string {
  return hostname().slice(0, 16);
}

/** The error for a data directory that another gateway serves from; names that owner. */
export async function createInUseError(client: pg.Client, dataDir: string): Promise<EmbeddedPostgresError> {
  const owner = (await readOwnerName(client)) ?? 'another starting gateway';
  return new EmbeddedPostgresError(
    `The data directory ${dataDir} is in use by ${owner}. Stop that gateway, or give this one its own DATA_DIR, or set DATABASE_URL so that both share one server.`,
  );
}

/**
 * Holds the owner lock: claims it on `client`, and on a new connection whenever that one breaks, until released.
 * Rejects when the lock cannot be had by `deadline` (epoch, ms).
 */
export async function holdOwnership(options: {
  client: pg.Client;
  socketDir: string;
  dataDir: string;
  name: string;
  deadline: number;
  log: Log;
}): Promise<{ release(): Promise<void> }> {
  let current = options.client;
  let released = false;

  // A contender that looks at a starting server may hold the lock briefly before it sees us and leaves.
  while (!(await claimOwnership(current))) {
    if (Date.now() > options.deadline) throw await createInUseError(current, options.dataDir);
    await delay(RECONNECT_PAUSE_MS);
  }
  const reclaim = async (): Promise<void> => {
    while (!released) {
      const next = await connectToPostgres(options.socketDir, options.name).catch(() => undefined);
      if (next && !released && (await claimOwnership(next).catch(() => false))) {
        current = next;
        watch();
        return;
      }
      next?.end().catch(() => undefined);
      await delay(RECONNECT_PAUSE_MS);
    }
  };
  const watch = (): void => {
    current.once('end', () => {
      if (released) return;
      options.log.warn(
        {},
        'The connection that marks the owner of the embedded database broke; claiming it again',
      );
      reclaim().catch(() => undefined);
    });
  };
  watch();
  return {
    release: async () => {
      released = true;
      await Promise.race([current.end(), delay(1000)]).catch(() => undefined);
    },
  };
}

/**
 * What a failed connection says about the server: `absent` (no listener), `busy` (starting or stopping), or something
 * else.
 */
export function connectFailure(error: unknown): 'absent' | 'busy' | 'other' {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent';
  if (code === '57P03' || code === '57P01' || code === 'ECONNRESET' || code === 'EPIPE' || code === undefined)
    return 'busy';
  return 'other';
}
