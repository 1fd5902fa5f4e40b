import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const IMPORTED = /(?:from|import\()\s*'(\.[^']+\.ts)'/g;

/**
 * How many imports lead from one file to each file that it needs, itself included, by absolute path. Follows relative
 * imports of TypeScript files alone.
 */
export function measureImportDistances(file: string): ReadonlyMap<string, number> {
  const distances = new Map([[file, 0]]);
  // A map goes on to what is added while it is walked.
  for (const [path, distance] of distances)
    for (const imported of importsOf(path))
      if (!distances.has(imported)) distances.set(imported, distance + 1);
  return distances;
}

const known = new Map<string, readonly string[]>();

function importsOf(file: string): readonly string[] {
  const before = known.get(file);
  if (before !== undefined) return before;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const found = [...text.matchAll(IMPORTED)].map(([, path = '']) => resolve(dirname(file), path));
  known.set(file, found);
  return found;
}
