import { execFile } from 'node:child_process';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from './error-code.ts';

const run = promisify(execFile);

const LOCK_FILES = ['postmaster.pid', '.s.PGSQL.5432.lock'];
/** Postgres makes and fills a lock file in one go. */
const WRITING_MS = 1_000;

/** The process id in the data directory's postmaster.pid, or undefined when there is no such file. */
export async function readPostmasterPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  const pid = Number.parseInt(text ?? '', 10);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

/**
 * Removes lock files that are empty: what a start leaves behind that ended, or met a full disk, between making the file
 * and writing it. Postgres refuses to start on them. One that was just made is left to the process that is writing it.
 */
export async function removeEmptyLockFiles(dataDir: string): Promise<void> {
  for (const name of LOCK_FILES) {
    const path = join(dataDir, name);
    const found = await stat(path).catch(() => undefined);
    const isLeft = found !== undefined && found.size === 0 && Date.now() - found.mtimeMs > WRITING_MS;
    if (isLeft) await rm(path, { force: true });
  }
}

/** Whether a process has this id, be it another user's or a zombie. */
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
export async function isPostmaster(pid: number, dataDir: string): Promise<boolean> {
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
  for (const name of LOCK_FILES) {
    const path = join(dataDir, name);
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) await writeFile(path, text.replace(/^[^\n]*/, String(process.pid)));
  }
}
