import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { countTests, type JestReport, listDisturbedFiles } from '../../scripts/jest-report.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LIMIT_MS = 120_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-run-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const passes = `it('passes', () => undefined);`;
const fails = `it('fails', () => { throw new Error('as ever'); }); ${passes}`;
/** As a test does that what runs beside it has disturbed. */
const failsOnce = (name: string) => `
  import { existsSync, writeFileSync } from 'node:fs';
  it('fails once', () => {
    const mark = ${JSON.stringify(folder)} + '/${name}';
    if (existsSync(mark)) return;
    writeFileSync(mark, '');
    throw new Error('disturbed');
  });
  ${passes}`;

/** Runs these files beside so many that pass, by the function that `npm test` calls. */
function runFiles(files: Readonly<Record<string, string>>, others: number, named: readonly string[] = []) {
  const rest = Array.from({ length: others }, (_none, index) => [`other-${index}`, passes]);
  for (const [name, text] of [...Object.entries(files), ...rest])
    writeFileSync(join(folder, `${name}.test.mjs`), text ?? '');
  const settings = { rootDir: folder, testMatch: ['**/*.test.mjs'], transform: {} };
  const runner = join(ROOT, 'test/support/jest-runner.mjs');
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify({ ...settings, runner }));
  const config = `--config=${folder}/jest.config.json`;
  const main = `
    import { printCounts, runJest } from ${JSON.stringify(join(ROOT, 'scripts/run-jest.ts'))};
    const run = await runJest(${JSON.stringify([config, ...named])}, process.env);
    printCounts(run);
    process.exit(run.status);`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '-e', main],
    {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: LIMIT_MS,
    },
  );
  return { status, lastLine: stdout.trim().split('\n').at(-1), stderr };
}

describe('a run of many test files', () => {
  it('runs those that failed once more, names those that pass by themselves, and counts the second result', () => {
    const run = runFiles({ broken: fails, disturbed: failsOnce('disturbed') }, 20);
    expect(run).toMatchObject({ status: 1, lastLine: '23 passed, 1 failed' });
    expect(run.stderr).toMatch(/passed by themselves[^\n]*\n[^\n]*disturbed\.test\.mjs/);
    expect(run.stderr).not.toMatch(/passed by themselves[^\n]*\n[^\n]*broken/);
  });

  it('repeats nothing where files are named', () => {
    const run = runFiles({ disturbed: failsOnce('disturbed') }, 0, ['disturbed']);
    expect(run).toMatchObject({ status: 1, lastLine: '1 passed, 1 failed' });
  });
});

/** A report of files, each with the states of its tests; one without tests could not be loaded. */
const reportOf = (files: Readonly<Record<string, readonly string[]>>): JestReport => ({
  testResults: Object.entries(files).map(([name, states]) => ({
    name,
    status: states.length === 0 || states.includes('failed') ? 'failed' : 'passed',
    assertionResults: states.map((status) => ({ status })),
  })),
});

const manyFiles = (count: number, states: readonly string[], prefix: string) =>
  Object.fromEntries(Array.from({ length: count }, (_none, index) => [`${prefix}-${index}`, states]));

describe('files that deserve a second run', () => {
  it.each([
    ['are those that failed', 1, 10, 1],
    ['are as many as four', 4, 100, 4],
    ['are none where more failed than what runs beside them explains', 5, 100, 0],
  ])('%s', (_title, failed, passed, expected) => {
    const report = reportOf({ ...manyFiles(failed, ['failed'], 'f'), ...manyFiles(passed, ['passed'], 'p') });
    expect(listDisturbedFiles(report)).toHaveLength(expected);
  });
});

describe('counts of a run', () => {
  it('take a file that could not be loaded for one failure', () => {
    expect(countTests(reportOf({ broken: [], works: ['passed', 'pending'] }))).toEqual({
      passed: 1,
      failed: 1,
    });
  });
});
