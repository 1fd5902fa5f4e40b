import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from './embedded-types.ts';

const run = promisify(execFile);

/** The process id in the data directory's postmaster.pid, or undefined when there is no such file. */
export async function readPostmasterPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  const pid = Number.parseInt(text ?? '', 10);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

/** Whether some process has this id, be it somebody else's or a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Whether the process is a Postgres started on `dataDir`, by its command line. A zombie has none, so it is not. In
 * containers the same few process ids come back at every start, so a live id alone proves nothing.
 */
export async function isPostmasterOf(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return commandLine.includes(`\0-D\0${dataDir}\0`);
  }
  const { stdout } = await run('/bin/ps', ['-p', String(pid), '-o', 'args=']).catch(() => ({ stdout: '' }));
  return stdout.includes(`-D ${dataDir} `);
}

/**
 * Makes Postgres take a lock file for stale although its process id is in use by another program: it treats its
 * parent's id as stale, and its parent is this process. Deleting postmaster.pid instead would drop the interlock that
 * keeps a new server away while backends of the old one still write (Postgres, CreateLockFile in miscinit.c).
 */
export async function disownLockFiles(dataDir: string): Promise<void> {
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    const path = join(dataDir, name);
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) await writeFile(path, text.replace(/^[^\n]*/, String(process.pid)));
  }
}
