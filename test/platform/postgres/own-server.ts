import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { isAlive } from '#embedded-postgres/pidfile.ts';
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '#embedded-postgres/start.ts';

export const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const run = promisify(execFile);
const cleanUps: Array<() => unknown> = [];

/** Has something undone after the running test, whether it passes or not, the last one first. */
export function afterwards(cleanUp: () => unknown): void {
  cleanUps.push(cleanUp);
}

/** For a file's afterEach: does what was asked for by afterwards(). */
export async function cleanUpAfterTest(): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}

/** A new directory that every user may pass; removed after the test. */
export async function scratchDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), `gateway-test-${process.pid}-`));
  await chmod(path, 0o755);
  afterwards(() => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  return path;
}

let cluster: Promise<string> | undefined;
/** Copies of the cluster that tests have left in order, with their tables. */
const spareClusters: string[] = [];

/**
 * A directory for a gateway's data in which a cluster is there already: initdb and copies take a second each. An earlier
 * test may have left tables in it.
 */
export async function preparedDirectory(...below: string[]): Promise<string> {
  const path = join(await scratchDirectory(), ...below);
  await mkdir(path, { recursive: true });
  const served = join(path, 'postgres');
  const spare = spareClusters.pop();
  if (spare === undefined) await run('/bin/cp', ['-a', await makeOnce(), served]);
  else await rename(spare, served);
  afterwards(() => keepSpare(served));
  return path;
}

/** Keeps a cluster for the next test, where its server was stopped in order. */
async function keepSpare(served: string): Promise<void> {
  const isDirty = await stat(join(served, 'data-18/postmaster.pid')).then(
    () => true,
    () => false,
  );
  if (isDirty) return;
  const spare = join(dirname(await makeOnce()), `spare-${randomUUID()}`);
  await rename(served, spare);
  spareClusters.push(spare);
}

/** For a file's afterAll. */
export async function removeCluster(): Promise<void> {
  if (cluster !== undefined) await rm(dirname(await cluster), { recursive: true, force: true });
  cluster = undefined;
  spareClusters.length = 0;
}

function makeOnce(): Promise<string> {
  cluster ??= makeCluster();
  return cluster;
}

/** The directory of a new cluster whose server has been stopped in order. */
async function makeCluster(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), `gateway-test-${process.pid}-`));
  await chmod(path, 0o755);
  const server = await startEmbeddedPostgres({ log: quiet, testMode: true, dataDir: path });
  await server.stop();
  return join(path, 'postgres');
}

/** A server that a test may freeze and kill, apart from the one that all tests share; stopped after the test. */
export async function startOwnServer(options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> {
  const dataDir = options.dataDir ?? (await preparedDirectory());
  const server = await startEmbeddedPostgres({ log: quiet, testMode: true, ...options, dataDir });
  afterwards(() => server.stop());
  return server;
}

/** Runs one statement on a connection of its own. */
export async function queryOnce(url: string, sql: string): Promise<Array<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Stops a server's processes from running, as a frozen virtual machine would; returns how to let them go on. */
export async function freeze(server: EmbeddedPostgres): Promise<() => void> {
  const rows = await queryOnce(server.url, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
  const pids = [server.pid(), ...rows.map(({ pid }) => Number(pid))].filter((pid) => pid !== undefined);
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, name);
  };
  signal('SIGSTOP');
  const thaw = () => signal('SIGCONT');
  afterwards(thaw);
  return thaw;
}
