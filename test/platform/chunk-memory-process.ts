import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { countChunk } from '../../src/platform/chunk-memory.ts';

/** Passes 1.6 GB through itself in pieces of 64 KB, and prints how often the whole heap was collected meanwhile. */
const PIECE_BYTES = 64 * 1024;
const PIECES = 25_600;

let wholeHeap = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { kind } = Object('detail' in entry ? entry.detail : undefined);
    if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) wholeHeap += 1;
  }
}).observe({ entryTypes: ['gc'] });

for (let piece = 0; piece < PIECES; piece += 1) {
  countChunk(Buffer.allocUnsafeSlow(PIECE_BYTES).length);
  if (piece % 8 === 0) await nextTurn();
}
await new Promise((resolve) => setTimeout(resolve, 50));
process.stdout.write(String(wholeHeap));
