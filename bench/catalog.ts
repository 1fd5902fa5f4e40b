import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { loadCatalog } from '../src/catalog/loading/catalog.ts';

/**
 * What loading the built-in catalog costs at a start: `node bench/catalog.ts [runs]`, each in a fresh process. `bundle`
 * as the gateway does it, with one provider found; `all` with every provider made, as the first list of the catalog
 * has it; `files` from the files that the bundle is made of. Medians of time on the clock and on the processor.
 */
const FILES = resolve(import.meta.dirname, '../src/catalog/providers');
const [first = '11'] = process.argv.slice(2);

if (first === 'bundle' || first === 'files' || first === 'all') {
  globalThis.gc?.();
  const memory = bytesHeld();
  const before = performance.now();
  const cpu = process.cpuUsage();
  const catalog = loadCatalog({
    builtInDirectory: first === 'files' ? FILES : undefined,
    allowPrivateNetworks: false,
  });
  catalog.find('hubspot');
  if (first !== 'bundle') catalog.list();
  const milliseconds = performance.now() - before;
  const { user, system } = process.cpuUsage(cpu);
  globalThis.gc?.();
  const megabytes = (bytesHeld() - memory) / 1e6;
  const cpuMilliseconds = (user + system) / 1000;
  console.log(JSON.stringify({ milliseconds, cpuMilliseconds, megabytes, count: catalog.ids().length }));
} else {
  for (const source of ['bundle', 'all', 'files']) {
    const runs = Array.from({ length: Number(first) }, () => measured(source));
    const median = (name: 'milliseconds' | 'cpuMilliseconds' | 'megabytes') =>
      runs
        .map((run) => run[name])
        .toSorted((left, right) => left - right)
        [runs.length >> 1]?.toFixed(1);
    console.log(
      `${source}: ${median('milliseconds')} ms (${median('cpuMilliseconds')} ms of processor), ${median('megabytes')} MB for ${runs[0]?.count} providers`,
    );
  }
}

function bytesHeld(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

type Measured = { milliseconds: number; cpuMilliseconds: number; megabytes: number; count: number };

function measured(source: string): Measured {
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', import.meta.filename, source], {
    encoding: 'utf8',
  });
  return JSON.parse(stdout);
}
