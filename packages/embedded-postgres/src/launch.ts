import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { CHILD_ENVIRONMENT } from './binaries.ts';
import { connectFailure, connectToPostgres } from './owner.ts';
import { readPostmasterPid } from './pidfile.ts';
import { EmbeddedPostgresError, type Log, type ProcessIds, USE_DATABASE_URL } from './types.ts';

/**
 * Runs Postgres in this very process id, after leaving a watcher behind that ends it (fast shutdown) once fd 3
 * closes, i.e. once the gateway died in whatever way. A line on fd 3 sends the watcher away instead, so that it never
 * signals an id that was given to another program. The watcher is forked twice: the postmaster must not own a child
 * that it does not know, and fd 3 is closed in it.
 */
const WATCHED = `( { read -r _ || kill -INT $$; } <&3 >/dev/null 2>&1 & ); exec 3<&-; exec "$@"`;

const SETTINGS = {
  // Only the socket in the data directory: no port to choose. Who may use it: embedded-access.ts.
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  shared_buffers: '32MB',
  max_connections: '60',
  max_wal_size: '256MB',
  io_method: 'sync',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  // /dev/shm is 64 MB in containers, and logind's RemoveIPC empties it.
  dynamic_shared_memory_type: 'mmap',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  timezone: 'UTC',
  lc_messages: 'C',
  log_min_messages: 'warning',
  // An error's DETAIL quotes values, its STATEMENT the query: neither belongs into a log.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

/** For tests: nothing survives a power cut, everything is faster. */
const TEST_SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '200',
};

const READY_POLL_MS = 15;
const READY_LIMIT_MS = 30_000;
const FAST_SHUTDOWN_MS = 15_000;
const KEPT_LINES = 20;

export interface Postmaster {
  pid: number;
  /** Resolves when the process ended, with what it said last. */
  ended: Promise<{ lines: string[]; reason: string }>;
  /** Fast shutdown, after 15 s an immediate one; never SIGKILL. Resolves when the process ended. */
  stop(): Promise<void>;
}

/** Spawns Postgres on a prepared data directory; it dies with this process. It may not be ready, or fail, see `ended`. */
export function spawnPostmaster(options: {
  postgres: string;
  dataDir: string;
  ids: ProcessIds | undefined;
  testMode: boolean;
  log: Log;
}): Postmaster {
  const settings = { ...SETTINGS, ...(options.testMode ? TEST_SETTINGS : {}) };
  const settingArgs = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // Detached, or Ctrl-C in a terminal would end Postgres before the gateway has drained.
  const child = spawn(
    '/bin/sh',
    ['-c', WATCHED, 'sh', options.postgres, '-D', options.dataDir, ...settingArgs],
    {
      ...options.ids,
      cwd: '/',
      env: CHILD_ENVIRONMENT,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    },
  );
  // A pipe that breaks loses a line or the watcher, and must not end the gateway; that Postgres ended is reported by `exit`.
  for (const pipe of child.stdio) pipe?.on('error', () => undefined);
  const lines = collectLines(child.stderr, options.log);
  const ended = new Promise<{ lines: string[]; reason: string }>((resolve) => {
    child.once('error', (error) => resolve({ lines, reason: error.message }));
    child.once('exit', (code, signal) => {
      dismissWatcher(child);
      // Its output may arrive after its exit; but a child of its own could keep the pipe open.
      const closed = new Promise((done) => child.once('close', done));
      Promise.race([closed, delay(200)]).then(() =>
        resolve({ lines, reason: signal ?? `exit code ${code}` }),
      );
    });
  });
  return { pid: child.pid ?? -1, ended, stop: () => stopChild(child, ended) };
}

function dismissWatcher(child: ChildProcess): void {
  const pipe = child.stdio[3];
  if (!pipe || !('end' in pipe)) return;
  pipe.end('\n');
}

/** Keeps the last lines and logs each: what needs a look as a warning, the rest (a client's own errors) for debugging. */
export function collectLines(stderr: Readable | null, log: Log): string[] {
  const lines: string[] = [];
  if (!stderr) return lines;
  stderr.on('error', () => undefined);
  const reader = createInterface({ input: stderr });
  // It repeats the errors of its input.
  reader.on('error', () => undefined);
  reader.on('line', (line) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
    const serious = /PANIC|WARNING|No space left|could not (write|fsync|extend)|terminated by signal/.test(
      line,
    );
    log[serious ? 'warn' : 'debug']({ postgres: line }, 'Postgres said');
  });
  return lines;
}

async function stopChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const isOver = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  if (!isOver()) child.kill('SIGINT');
  const abort = new AbortController();
  const impatience = delay(FAST_SHUTDOWN_MS, undefined, { signal: abort.signal }).then(
    () => {
      if (!isOver()) child.kill('SIGQUIT');
    },
    () => undefined,
  );
  await ended;
  abort.abort();
  await impatience;
}

export type Readiness =
  | { state: 'ready'; client: pg.Client }
  /** It met the lock of a server that is just ending or starting: check again. */
  | { state: 'locked-out' };

/**
 * Waits until the spawned server, and not some other one on the same directory, accepts connections. Recovery after a
 * crash may take its time; 30 s without an answer at all are too long.
 * Throws EmbeddedPostgresError with the server's own fault lines when it ends or stays silent.
 */
export async function waitUntilReady(
  postmaster: Postmaster,
  dataDir: string,
  socketDir: string,
  name: string,
): Promise<Readiness> {
  const outcome: { ended?: { lines: string[]; reason: string } } = {};
  postmaster.ended.then((end) => {
    outcome.ended = end;
  });
  let limit = Date.now() + READY_LIMIT_MS;
  while (Date.now() < limit) {
    if (outcome.ended) return afterEnd(outcome.ended);
    const isOurs = (await readPostmasterPid(dataDir)) === postmaster.pid;
    const client = isOurs
      ? await connectToPostgres(socketDir, name).catch((error: unknown) => {
          if (connectFailure(error) === 'busy') limit = Date.now() + READY_LIMIT_MS;
          return undefined;
        })
      : undefined;
    if (client) return { state: 'ready', client };
    await delay(READY_POLL_MS);
  }
  await postmaster.stop();
  throw new EmbeddedPostgresError(`The embedded Postgres in ${dataDir} does not answer. ${USE_DATABASE_URL}`);
}

function afterEnd({ lines, reason }: { lines: string[]; reason: string }): Readiness {
  const said = lines.join('\n');
  if (/lock file "[^"]*" (?:already exists|is empty)|pre-existing shared memory block/.test(said))
    return { state: 'locked-out' };
  const faults = lines.filter((line) => /FATAL|PANIC|ERROR|error while loading|not found/.test(line));
  throw new EmbeddedPostgresError(
    `The embedded Postgres ended while starting (${reason}): ${faults.join(' ') || said || 'it said nothing'}. ${USE_DATABASE_URL}`,
  );
}

/** One line for a log: how a server ended. */
export function describeEnd({ lines, reason }: { lines: string[]; reason: string }): string {
  return [reason, ...lines.filter((line) => /FATAL|PANIC|terminated by/.test(line)).slice(-2)].join('; ');
}
