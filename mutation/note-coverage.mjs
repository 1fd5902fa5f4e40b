import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Jest's setupFiles entry for `npm run mutate:sample`: notes which changes of the code each test file executes, in the
 * way Stryker's instrumented code tells it, and writes them where MUTATION_COVERAGE says when the worker ends.
 */
export default function noteCoverage() {
  const folder = process.env.MUTATION_COVERAGE;
  if (folder === undefined) return;
  globalThis.__stryker__ ??= {};
  const current = { get: () => globalThis.expect?.getState().testPath };
  Object.defineProperty(globalThis.__stryker__, 'currentTestId', current);
  process.once('exit', () => {
    const perFile = Object.entries(globalThis.__stryker__.mutantCoverage?.perTest ?? {});
    const text = JSON.stringify(perFile.map(([file, counts]) => [file, Object.keys(counts)]));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${process.pid}.json`), text);
  });
}
