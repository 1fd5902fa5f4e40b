import { readFileSync, statSync } from 'node:fs';

/** Named by the files that start browsers or processes, most of which take long whatever their size. */
const HEAVY = /\b(?:browser|dashboard-stage|spawn-gateway|held-stage|approval-races|event-loop|spawn|fork)\b/;

/**
 * What takes long begins first, and the largest of it before the others: a long file that begins last runs alone, while
 * the other cores have nothing to do. jest goes by the size alone where it knows of no run before, which it never does,
 * since what a run writes goes with it (scripts/run-folder.ts).
 */
export default class LongFirst {
  sort<Test extends { readonly path: string }>(tests: readonly Test[]): Test[] {
    const known = tests.map((test) => ({ test, ...weigh(test.path) }));
    known.sort((a, b) => Number(b.isHeavy) - Number(a.isHeavy) || b.bytes - a.bytes);
    return known.map(({ test }) => test);
  }

  /** There is nothing to keep: the next run has a folder of its own. */
  cacheResults(): void {}
}

function weigh(path: string): { isHeavy: boolean; bytes: number } {
  return { isHeavy: HEAVY.test(readFileSync(path, 'utf8')), bytes: statSync(path).size };
}
