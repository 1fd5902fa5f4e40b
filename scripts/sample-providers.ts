import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * A hundred provider files drawn by a seed: `npm run sample:providers -- catalog-2026-11-27` prints those whose SHA-256 of
 * seed and id sorts first, so that readers can draw the sample of a review again.
 */
const SAMPLE_SIZE = 100;
const [seed] = process.argv.slice(2);
if (seed === undefined) throw new Error('Name a seed: npm run sample:providers -- catalog-2026-11-27');
const hashOf = (id: string) => createHash('sha256').update(`${seed}:${id}`).digest('hex');

const ids = readdirSync(resolve(import.meta.dirname, '../src/catalog/providers'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length));
const drawn = ids.map((id) => ({ id, hash: hashOf(id) })).toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
console.log(
  drawn
    .slice(0, SAMPLE_SIZE)
    .map(({ id }) => id)
    .join('\n'),
);
