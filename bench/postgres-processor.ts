import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Linux counts in hundredths of a second. */
const TICK_MS = 10;

/** The processor's time that the server with its data below this folder has taken so far, in all of its processes. */
export async function processorMs(dataDir: string): Promise<number> {
  const file = await findPidFile(dataDir);
  const postmaster = (await readFile(file, 'utf8')).split('\n', 1)[0] ?? '';
  let ticks = 0;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
    // Processes that have ended count with their parent.
    if (pid === postmaster) ticks += user + system + childUser + childSystem;
    else if (fields[1] === Number(postmaster)) ticks += user + system;
  }
  return ticks * TICK_MS;
}

async function findPidFile(dataDir: string): Promise<string> {
  const names = await readdir(dataDir, { recursive: true });
  const name = names.find((one) => one.endsWith('postmaster.pid'));
  if (name === undefined) throw new Error(`No server runs on ${dataDir}`);
  return join(dataDir, name);
}
