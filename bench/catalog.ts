import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { loadCatalog } from '../src/catalog/catalog.ts';

/**
 * How long loading the built-in catalog takes at a start: `node bench/catalog.ts [runs]`, each in a fresh process, from
 * the bundle and from the files that the bundle is made of. Medians.
 */
const FILES = resolve(import.meta.dirname, '../src/catalog/providers');
const [first = '11'] = process.argv.slice(2);

if (first === 'bundle' || first === 'files') {
  const before = performance.now();
  const builtInDirectory = first === 'files' ? FILES : undefined;
  const count = loadCatalog({ builtInDirectory, allowPrivateNetworks: false }).list().length;
  console.log(JSON.stringify({ milliseconds: performance.now() - before, count }));
} else {
  for (const source of ['bundle', 'files']) {
    const runs = Array.from({ length: Number(first) }, () => measured(source));
    const median = runs.toSorted((left, right) => left.milliseconds - right.milliseconds)[runs.length >> 1];
    console.log(`${source}: ${median?.milliseconds.toFixed(1)} ms for ${median?.count} providers`);
  }
}

function measured(source: string): { milliseconds: number; count: number } {
  const { stdout } = spawnSync(process.execPath, [import.meta.filename, source], { encoding: 'utf8' });
  return JSON.parse(stdout);
}
