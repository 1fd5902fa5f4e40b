import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * `mkdir -p`; gives the directories that were made, the outermost first. Each is made by itself: Node's own recursive
 * mkdir tries for ever where the system says ENOENT below a directory that exists, as /proc does.
 * Throws the system's error.
 */
export function makeDirectories(path: string, mode?: number): string[] {
  const missing: string[] = [];
  for (let current = resolve(path); !isThere(current); current = dirname(current)) missing.unshift(current);
  return missing.filter((directory) => makeOne(directory, mode));
}

function isThere(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return found !== undefined;
  throw Object.assign(new Error(`${path} is no directory`), { code: 'ENOTDIR' });
}

/** False when another process was faster. */
function makeOne(directory: string, mode: number | undefined): boolean {
  try {
    mkdirSync(directory, mode);
    return true;
  } catch (error) {
    if (isThere(directory)) return false;
    throw error;
  }
}
