import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../test/support/ports.ts';

const execute = promisify(execFile);
const PROGRAMS = process.env.POSTGRES_PROGRAMS ?? '';

export type ReplicatedPostgres = {
  readonly primaryPort: number;
  readonly standbyPort: number;
  /** Ends the primary as a power cut does. */
  readonly killPrimary: () => Promise<void>;
  /** Makes a primary of the standby; it takes writes when this resolves. */
  readonly promoteStandby: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** A primary with an empty database `gateway`, and a standby that has each commit before the primary answers it. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'replicated-'));
  const user = await findServerUser();
  await chmod(folder, 0o755);
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const run = (program: string, ...given: string[]) =>
    execute(join(PROGRAMS, program), given, { ...user, cwd: folder });
  const primary = { data: join(folder, 'primary'), port: await findFreePort() };
  const standby = { data: join(folder, 'standby'), port: await findFreePort() };
  const control = (command: string, { data, port }: typeof primary, ...more: string[]) =>
    run('pg_ctl', command, '-D', data, '-w', '-o', `-p ${port}`, '-l', `${data}.log`, ...more);

  await run('initdb', '-D', primary.data, '-U', 'gateway', '-A', 'trust', '--no-sync');
  const settings = `listen_addresses = '127.0.0.1'\nunix_socket_directories = '${folder}'\n`;
  await appendFile(join(primary.data, 'postgresql.conf'), settings);
  await control('start', primary);
  await run('createdb', '-h', '127.0.0.1', '-p', String(primary.port), '-U', 'gateway', 'gateway');
  const source = `host=127.0.0.1 port=${primary.port} user=gateway application_name=standby`;
  await run('pg_basebackup', '-D', standby.data, '-d', source, '-R', '--checkpoint=fast');
  await control('start', standby);
  // The standby was copied without this line: once promoted, it has none of its own to wait for.
  await appendFile(join(primary.data, 'postgresql.conf'), "synchronous_standby_names = 'standby'\n");
  await run('pg_ctl', 'reload', '-D', primary.data);
  return {
    primaryPort: primary.port,
    standbyPort: standby.port,
    killPrimary: async () => void (await control('stop', primary, '-m', 'immediate')),
    promoteStandby: async () => void (await run('pg_ctl', 'promote', '-D', standby.data, '-w')),
    close: async () => {
      for (const server of [primary, standby])
        await control('stop', server, '-m', 'immediate').catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Postgres refuses to run as root, so that it gets the user that its package has made. */
async function findServerUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = await readFile('/etc/passwd', 'utf8');
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(passwd) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
