import pg from 'pg';
import { z } from 'zod';
import { connectionSettings } from './connection.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** Which of two clients asks: each after itself and after the other, so that no order of servers hides the pooler. */
const TURNS = [0, 1, 0, 0, 1, 1, 0, 1] as const;
const PROCESS_ID = z.tuple([z.object({ pid: z.number() })]);

/**
 * Whether `url` leads to a pooler that gives a client another server connection for each transaction, as PgBouncer with
 * `pool_mode = transaction` does. LISTEN, advisory locks and SET do not work through such a one. Two clients that are
 * connected at the same time then share a server process, or one client changes its own.
 */
export async function isTransactionPooler(url: string): Promise<boolean> {
  const clients = [newClient(url), newClient(url)] as const;
  try {
    for (const client of clients) await client.connect();
    const seen: [Set<number>, Set<number>] = [new Set(), new Set()];
    for (const turn of TURNS) {
      const { rows } = await clients[turn].query('SELECT pg_backend_pid() AS pid');
      seen[turn].add(PROCESS_ID.parse(rows)[0].pid);
    }
    return seen[0].size > 1 || [...seen[0]].some((pid) => seen[1].has(pid));
  } finally {
    for (const client of clients) await client.end().catch(() => undefined);
  }
}

/** Whether two addresses lead to the same database of the same server. */
export async function isSameDatabase(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map(identifyDatabase));
  return first === second;
}

/** Names the database among all of all servers. */
export async function identifyDatabase(url: string): Promise<string> {
  const client = newClient(url);
  try {
    await client.connect();
    const { rows } = await client.query(
      `SELECT (SELECT system_identifier FROM pg_control_system())::text || ' ' || oid::text AS identity
       FROM pg_database WHERE datname = current_database()`,
    );
    return z.tuple([z.object({ identity: z.string() })]).parse(rows)[0].identity;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function newClient(url: string): pg.Client {
  const client = new pg.Client({
    ...connectionSettings(url),
    application_name: 'gateway start',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  return client;
}
