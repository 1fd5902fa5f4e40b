import { chown, rename, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Log, ProcessIds } from './types.ts';

/** The role of the packaged server's databases. */
const ROLE = 'app';
const MAP = 'gateway';

/**
 * Says who may connect, before each start of the server, so that data directories of earlier releases follow: through
 * the socket, the user that this process runs as, and root, whom no rule would stop. Postgres asks the system who is at
 * the other end (peer authentication). Finding the socket gives no access, and there is no password to keep.
 */
export async function writeAccessRules(
  dataDir: string,
  ids: ProcessIds | undefined,
  log: Log,
): Promise<void> {
  const user = currentUser();
  if (user === undefined) {
    log.warn(
      {},
      'This user id has no entry in /etc/passwd: the embedded database can only be guarded by the mode of its directory',
    );
  }
  const method = user === undefined ? 'trust' : `peer map=${MAP}`;
  const users = [...new Set([user ?? 'root', 'root'])];
  const rules = `# Written by the gateway at each start.\nlocal all ${ROLE} ${method}\n`;
  const names = users.map((name) => `${MAP} "${name.replaceAll('"', '""')}" ${ROLE}\n`).join('');
  await replaceFile(join(dataDir, 'pg_ident.conf'), `# Written by the gateway at each start.\n${names}`, ids);
  await replaceFile(join(dataDir, 'pg_hba.conf'), rules, ids);
}

/** The name of the user that this process runs as; undefined for an id without one. */
function currentUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

async function replaceFile(path: string, text: string, ids: ProcessIds | undefined): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  if (ids) await chown(draft, ids.uid, ids.gid);
  await rename(draft, path);
}
