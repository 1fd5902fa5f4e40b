import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findPackageDir } from '#embedded-postgres/binaries.ts';
import { isPostmaster } from '#embedded-postgres/pidfile.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#embedded-postgres/start.ts';
import { until } from '../../support/until.ts';
import {
  afterwards,
  cleanUpAfterTest,
  preparedDirectory,
  queryOnce,
  quiet,
  removeCluster,
  scratchDirectory,
  startOwnServer,
} from './own-server.ts';

const CHILD = join(import.meta.dirname, 'embedded-child.ts');
const IS_ROOT = process.getuid?.() === 0;
const STARTED = z.object({ url: z.string(), pid: z.number(), dataDir: z.string() });
const REFUSED = z.object({ error: z.string() });

const run = promisify(execFile);

afterEach(cleanUpAfterTest);
afterAll(removeCluster);

interface Child {
  process: ChildProcess;
  lines: unknown[];
  ended: Promise<unknown>;
}

/** Runs embedded-child.ts, whose lines are collected as it prints them. */
function spawnChild(
  options: { dataDir: string; testMode?: boolean; packageDir?: string },
  ids?: object,
): Child {
  const args = [CHILD, JSON.stringify(options), ...(ids ? [JSON.stringify(ids)] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: unknown[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  const ended = once(child, 'close');
  afterwards(async () => {
    child.kill('SIGKILL');
    await ended;
    // Its server ends by itself, and may still write into the directory that is about to be removed.
    const { success, data } = STARTED.safeParse(lines[0]);
    if (success) await until(async () => !(await isPostmaster(data.pid, data.dataDir)));
  });
  return { process: child, lines, ended };
}

/** What a child said first, having written at least `rows` rows. */
async function started(child: Child, rows = 1) {
  await until(() => child.lines.length > rows || child.process.exitCode !== null);
  return STARTED.parse(child.lines[0]);
}

const acknowledged = (child: Child) => child.lines.filter((line) => typeof line === 'number');

async function written(server: EmbeddedPostgres): Promise<unknown[]> {
  return (await queryOnce(server.url, 'SELECT number FROM written ORDER BY number')).map(
    ({ number }) => number,
  );
}

/** Ends the watcher that would end the postmaster together with its gateway, so that killing both leaves an orphan. */
async function killWatcher(dataDir: string): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (commandLine.startsWith('/bin/sh\0') && commandLine.includes(`\0${dataDir}\0`))
      process.kill(Number(pid), 'SIGKILL');
  }
}

/** A copy of the platform package as an install without scripts leaves it: without its links. */
async function packageWithoutLinks(parent: string): Promise<string> {
  const copy = join(parent, 'package');
  // No hard links, since the run's folder may be on another file system than the package.
  await run('/bin/cp', ['-a', findPackageDir(), copy]);
  const links = z
    .array(z.object({ target: z.string() }))
    .parse(JSON.parse(await readFile(join(copy, 'native/pg-symlinks.json'), 'utf8')));
  expect(links.length).toBeGreaterThan(0);
  for (const { target } of links) await rm(join(copy, target), { force: true });
  return copy;
}

/** An ordinary user of every Linux system, with an entry in /etc/passwd as initdb wants it. */
async function ordinaryUser(): Promise<{ uid: number; gid: number }> {
  const entry = /^(?:daemon|bin):[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8'));
  return { uid: Number(entry?.[1]), gid: Number(entry?.[2]) };
}

describe('starting', () => {
  it('makes a cluster that only its own user may enter, by a socket and not by TCP', async () => {
    const server = await startOwnServer({ dataDir: await scratchDirectory() });
    const [settings] = await queryOnce(
      server.url,
      `SELECT current_setting('listen_addresses') AS tcp, current_database() AS name, version() AS version,
         current_setting('fsync') AS fsync,
         (SELECT datlocprovider FROM pg_database WHERE datname = current_database()) AS provider,
         (SELECT string_agg(concat_ws(' ', type, database, user_name, auth_method), ';')
            FROM pg_hba_file_rules) AS rules`,
    );
    expect(settings).toEqual({
      tcp: '',
      name: 'app',
      fsync: 'off',
      provider: 'b',
      rules: 'local {all} {app} peer',
      version: expect.stringMatching(/^PostgreSQL 18\./),
    });
    const directory = await stat(server.dataDir);
    expect(directory.mode & 0o777).toBe(0o700);
    expect(directory.uid).not.toBe(0);
    expect(server.dataDir).toMatch(/\/postgres\/data-18$/);
    // None of our environment is handed to it.
    const environment = await readFile(`/proc/${server.pid()}/environ`, 'utf8');
    expect(environment).toContain('TZ=UTC');
    expect(environment).not.toContain('GATEWAY_TEST');
  });

  it('finds its rows again after a stop, with fsync on', async () => {
    const dataDir = await preparedDirectory();
    const first = await startOwnServer({ dataDir, testMode: false });
    expect(await queryOnce(first.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    await queryOnce(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    expect(await isPostmaster(first.pid() ?? -1, first.dataDir)).toBe(false);
    const second = await startOwnServer({ dataDir, testMode: false });
    expect(await queryOnce(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(second.url).toBe(first.url);
  });

  it('lets no other user in, even where the modes of files would', async () => {
    const server = await startOwnServer();
    const { uid, gid } = await ordinaryUser();
    await chmod(server.dataDir, 0o755);
    await chmod(join(server.dataDir, '.s.PGSQL.5432'), 0o777);
    const program = `const { default: pg } = await import(${JSON.stringify(import.meta.resolve('pg'))});
      if (${IS_ROOT}) { process.setgroups([]); process.setgid(${gid}); process.setuid(${uid}); }
      const client = new pg.Client(${JSON.stringify(server.url)});
      await client.connect().then(() => console.log('connected'), ({ code }) => console.log(code));
      await client.end();`;
    const args = ['--input-type=module', '--eval', program];
    const { stdout } = await run(process.execPath, args, { env: { PATH: process.env.PATH } });
    // Without root's rights the other user is the same one.
    expect(stdout.trim()).toBe(IS_ROOT ? '28000' : 'connected');
  });

  it('closes a directory of an earlier release, which trusted every user that reached the socket', async () => {
    const dataDir = await preparedDirectory();
    const rules = join(dataDir, 'postgres/data-18/pg_hba.conf');
    await writeFile(rules, 'local all all trust\n');
    const server = await startOwnServer({ dataDir });
    const methods = await queryOnce(
      server.url,
      'SELECT DISTINCT auth_method AS method FROM pg_hba_file_rules',
    );
    expect(methods).toEqual([{ method: 'peer' }]);
  });

  it('lives in a fallback directory where its own user cannot reach DATA_DIR, and logs where', async () => {
    const [parent, fallbackDir] = [await scratchDirectory(), await scratchDirectory()];
    await chmod(parent, 0o700);
    const logged: object[] = [];
    const log = { ...quiet, warn: (fields: object) => logged.push(fields) };
    const server = await startOwnServer({ dataDir: join(parent, 'data'), fallbackDir, log });
    // An ordinary user's server runs as that user, whom its own 0700 directory does not stop.
    expect(server.dataDir.startsWith(IS_ROOT ? fallbackDir : parent)).toBe(true);
    expect(logged.some((fields) => 'used' in fields && server.dataDir.startsWith(String(fields.used)))).toBe(
      IS_ROOT,
    );
    expect(await queryOnce(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('serves from a directory whose path is too long for a socket address', async () => {
    const dataDir = await preparedDirectory('x'.repeat(70), 'y'.repeat(70));
    const server = await startOwnServer({ dataDir });
    expect(server.dataDir.startsWith(dataDir)).toBe(true);
    expect(await queryOnce(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('the packaged binaries', () => {
  it('get their links when install scripts were skipped', async () => {
    const packageDir = await packageWithoutLinks(await scratchDirectory());
    const server = await startOwnServer({ packageDir });
    expect(await queryOnce(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await readFile(`/proc/${server.pid()}/cmdline`, 'utf8')).toContain(packageDir);
  });

  it('are copied when the server may not reach or not repair the package, once', async () => {
    const [parent, dataDir] = [await scratchDirectory(), await scratchDirectory()];
    const packageDir = await packageWithoutLinks(parent);
    await chmod(join(packageDir, 'native/lib'), 0o555);
    if (IS_ROOT) await chmod(parent, 0o700);
    const server = await startOwnServer({ packageDir, dataDir });
    const commandLine = await readFile(`/proc/${server.pid()}/cmdline`, 'utf8');
    expect(commandLine).toContain(join(dataDir, 'postgres/runtime'));
    await server.stop();
    const again = await startOwnServer({ packageDir, dataDir });
    expect(await queryOnce(again.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await readdir(join(dataDir, 'postgres/runtime'))).toHaveLength(1);
    await chmod(join(packageDir, 'native/lib'), 0o755);
  });

  it('run for an ordinary user from a package that it cannot write to', async () => {
    const dataDir = await scratchDirectory();
    const packageDir = await packageWithoutLinks(await scratchDirectory());
    const user = await ordinaryUser();
    if (!IS_ROOT) await chmod(join(packageDir, 'native/lib'), 0o555);
    await chmod(dataDir, 0o777);
    const child = spawnChild({ dataDir, packageDir, testMode: true }, IS_ROOT ? user : undefined);
    const { pid } = await started(child);
    expect((await stat(`/proc/${pid}`)).uid).toBe(IS_ROOT ? user.uid : process.getuid?.());
    child.process.kill('SIGKILL');
    await until(async () => !(await isPostmaster(pid, join(dataDir, 'postgres/data-18'))));
    await chmod(join(packageDir, 'native/lib'), 0o755);
  });

  it.each([
    { platform: 'linux', arch: 'x64', musl: true },
    { platform: 'sunos', arch: 'x64', musl: false },
    { platform: 'win32', arch: 'x64', musl: false },
  ])('are refused for $platform-$arch (musl: $musl) with the way out', (host) => {
    expect(() => findPackageDir(host)).toThrow(/No embedded Postgres .*Set DATABASE_URL/);
  });

  it('that cannot run are refused with the reason and the way out', async () => {
    const packageDir = await scratchDirectory();
    await mkdir(join(packageDir, 'native/bin'), { recursive: true });
    await writeFile(join(packageDir, 'package.json'), '{ "version": "18.0.0" }');
    const broken = '#!/bin/sh\necho libexample.so is missing >&2; exit 127\n';
    await writeFile(join(packageDir, 'native/bin/postgres'), broken, { mode: 0o755 });
    await expect(startOwnServer({ packageDir })).rejects.toThrow(
      /libexample\.so is missing.*Set DATABASE_URL/,
    );
  });
});

describe('a data directory', () => {
  it('of another major version is refused with both ways out', async () => {
    const dataDir = await scratchDirectory();
    await mkdir(join(dataDir, 'postgres/data-18'), { recursive: true });
    await writeFile(join(dataDir, 'postgres/data-18/PG_VERSION'), '17\n');
    await expect(startOwnServer({ dataDir })).rejects.toThrow(/Postgres 17.*DATABASE_URL.*copy the data/);
  });

  it('of an older major beside none of ours is refused, rather than starting empty', async () => {
    const dataDir = await scratchDirectory();
    await mkdir(join(dataDir, 'postgres/data-17'), { recursive: true });
    await writeFile(join(dataDir, 'postgres/data-17/PG_VERSION'), '17\n');
    await expect(startOwnServer({ dataDir })).rejects.toThrow(/data-17 was written by Postgres 17/);
  });

  it('serves one gateway; another is refused and told whose it is', async () => {
    const dataDir = await preparedDirectory();
    const server = await startOwnServer({ dataDir });
    const child = spawnChild({ dataDir, testMode: true });
    await child.ended;
    const { error } = REFUSED.parse(child.lines[0]);
    expect(error).toContain(`in use by owner pid=${process.pid} `);
    expect(await queryOnce(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('goes to exactly one of several gateways that start on it at once', async () => {
    const dataDir = await preparedDirectory();
    const children = [1, 2, 3].map(() => spawnChild({ dataDir, testMode: true }));
    const isWriting = (child: Child) => acknowledged(child).length > 0;
    await until(() => children.every((child) => isWriting(child) || child.process.exitCode !== null));
    expect(children.filter(isWriting)).toHaveLength(1);
    for (const loser of children.filter((child) => !isWriting(child))) {
      expect(REFUSED.parse(loser.lines[0]).error).toMatch(/in use by/);
    }
  });

  it('is served although its lock files are empty', async () => {
    const dataDir = await preparedDirectory();
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      const path = join(dataDir, 'postgres/data-18', name);
      await writeFile(path, '');
      await utimes(path, 1, 1);
    }
    const server = await startOwnServer({ dataDir });
    expect(await queryOnce(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('is served although it was copied without modes and owners', async () => {
    const [original, copy] = [await preparedDirectory(), await scratchDirectory()];
    await run('/bin/sh', ['-c', `umask 022 && cp -r ${original}/postgres ${copy}/postgres`]);
    const server = await startOwnServer({ dataDir: copy });
    expect(await queryOnce(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await stat(server.dataDir)).mode & 0o777).toBe(0o700);
  });

  it('is served although its lock file names a process id that another program has now', async () => {
    const dataDir = await preparedDirectory();
    const server = await startOwnServer({ dataDir });
    const lockFile = join(server.dataDir, 'postmaster.pid');
    const [, ...rest] = (await readFile(lockFile, 'utf8')).split('\n');
    const { uid, gid } = await stat(server.dataDir);
    await server.stop();
    // Postgres itself only believes a process of its own user.
    const stranger = spawn('/bin/sleep', ['600'], { stdio: 'ignore', ...(IS_ROOT ? { uid, gid } : {}) });
    afterwards(() => stranger.kill());
    await writeFile(lockFile, [stranger.pid, ...rest].join('\n'));
    const again = await startOwnServer({ dataDir });
    expect(await queryOnce(again.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(stranger.exitCode).toBeNull();
  });
});

describe('a gateway that is killed', () => {
  it('takes its server along, and every acknowledged row is there afterwards', async () => {
    const dataDir = await preparedDirectory();
    const child = spawnChild({ dataDir });
    const { pid, dataDir: served } = await started(child, 10);
    child.process.kill('SIGKILL');
    await child.ended;
    await until(async () => !(await isPostmaster(pid, served)));
    const server = await startOwnServer({ dataDir, testMode: false });
    expect(await written(server)).toEqual(expect.arrayContaining(acknowledged(child)));
  });

  it('loses no acknowledged row when its server is killed as well', async () => {
    const dataDir = await preparedDirectory();
    const child = spawnChild({ dataDir });
    const { pid } = await started(child, 10);
    child.process.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await child.ended;
    const server = await startOwnServer({ dataDir, testMode: false });
    expect(await written(server)).toEqual(expect.arrayContaining(acknowledged(child)));
  });

  it('may leave an orphan, which the next start ends and replaces without losing a row', async () => {
    const dataDir = await preparedDirectory();
    const child = spawnChild({ dataDir });
    const { pid, dataDir: served } = await started(child, 10);
    await killWatcher(served);
    child.process.kill('SIGKILL');
    await child.ended;
    expect(await isPostmaster(pid, served)).toBe(true);
    const server = await startOwnServer({ dataDir, testMode: false });
    expect(server.pid()).not.toBe(pid);
    expect(await isPostmaster(pid, served)).toBe(false);
    expect(await written(server)).toEqual(expect.arrayContaining(acknowledged(child)));
  });
});

describe('a server that ends by itself', () => {
  it('is started again behind the same URL, with its rows', async () => {
    const server = await startOwnServer({ testMode: false });
    await queryOnce(server.url, 'CREATE TABLE kept_again AS SELECT 42 AS answer');
    const before = server.pid() ?? -1;
    process.kill(before, 'SIGKILL');
    await until(() => server.pid() !== undefined && server.pid() !== before);
    expect(await queryOnce(server.url, 'SELECT answer FROM kept_again')).toEqual([{ answer: 42 }]);
  });

  it('is given up after five restarts within a minute, which is told', async () => {
    const server = await startOwnServer();
    const gaveUp = new Promise<Error>((resolve) => server.onExit(resolve));
    const outcome: { error?: Error } = {};
    gaveUp.then((error) => {
      outcome.error = error;
    });
    const killed = new Set<number>();
    await until(() => {
      const pid = server.pid();
      if (pid !== undefined && !killed.has(pid)) {
        killed.add(pid);
        process.kill(pid, 'SIGKILL');
      }
      return outcome.error !== undefined;
    });
    expect(killed.size).toBe(6);
    expect(outcome.error?.message).toMatch(/given up/);
  });

  it('gets its owner connection back when only that broke, so that no other gateway takes the directory', async () => {
    const dataDir = await preparedDirectory();
    const server = await startOwnServer({ dataDir });
    const owners = `SELECT a.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.classid = 20330 AND l.granted`;
    const pid = server.pid();
    const [before] = await queryOnce(server.url, owners);
    await queryOnce(server.url, `SELECT pg_terminate_backend(${before?.pid})`);
    await expect(startEmbeddedPostgres({ dataDir, log: quiet, testMode: true })).rejects.toThrow(
      /in use by owner/,
    );
    await until(async () => {
      const [after] = await queryOnce(server.url, owners);
      return after !== undefined && after.pid !== before?.pid;
    });
    expect(server.pid()).toBe(pid);
  });
});

it('finds the package whose directory it names', async () => {
  expect(await readdir(join(findPackageDir(), 'native/bin'))).toEqual(
    expect.arrayContaining(['initdb', 'postgres']),
  );
  expect(dirname(findPackageDir())).toMatch(/@embedded-postgres$/);
});
