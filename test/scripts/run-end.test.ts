import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isAlive } from '#embedded-postgres/pidfile.ts';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CONFIG = join(ROOT, 'jest.config.mjs');
/** Far beyond what such a run takes; one that hangs is ended. */
const LIMIT_MS = 120_000;

type Config = { runner: string; setupFiles: string[]; setupFilesAfterEnv: string[]; reporters: string[] };
const { default: config }: { default: Config } = await import(CONFIG);
const placed = (path: string) => path.replace('<rootDir>', ROOT);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-end-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type RunOptions = { readonly runner?: string; readonly workers?: number; readonly fileMinutesMax?: number };

/** Runs these test files as the project's own are run, and gives jest's exit code: null where it had to be ended. */
function runFiles(files: Readonly<Record<string, string>>, options?: RunOptions): number | null {
  return runJest(files, options).status;
}

function runJest(
  files: Readonly<Record<string, string>>,
  { runner = placed(config.runner), workers = 4, fileMinutesMax }: RunOptions = {},
) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.mjs`), text);
  const settings = {
    rootDir: folder,
    testMatch: ['**/*.test.mjs'],
    transform: {},
    runner,
    setupFiles: config.setupFiles.map(placed),
    setupFilesAfterEnv: config.setupFilesAfterEnv.map(placed),
    reporters: ['default', [placed(config.reporters[1] ?? ''), { fileMinutesMax }]],
  };
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const options = [`--maxWorkers=${workers}`, '--config', JSON.stringify(settings)];
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  return spawnSync(process.execPath, [jest, ...options], {
    stdio: [...stdio],
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
}

const works = `it('works', () => undefined);`;

describe('a run of tests', () => {
  it('ends with all of its workers, though a test that failed left a server open', async () => {
    const leaves = `
      import { writeFileSync } from 'node:fs';
      import { createServer } from 'node:http';
      it('fails', () => {
        writeFileSync('${folder}/pid', String(process.pid));
        createServer().listen(0, '127.0.0.1');
        expect(1).toBe(2);
      });`;
    // Two files, since jest runs one alone in its own process.
    expect(runFiles({ leaves, works })).toBe(1);
    const worker = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    try {
      await until(() => !isAlive(worker));
    } finally {
      if (isAlive(worker)) process.kill(worker);
    }
  });

  it('goes on in one process for as long as it takes', () => {
    const takesLong = `it('takes long', () => new Promise((done) => setTimeout(done, 2500)));`;
    expect(runFiles({ takesLong, works }, { workers: 1 })).toBe(0);
  });

  it('names the failed tests and the running one of a file that does not end', () => {
    const hangs = `
      describe('a page', () => {
        it('shows its head', () => undefined);
        it.each(['red', 'green'])('is %s', (color) => expect(color).toBe('green'));
        it('comes to an end', () => new Promise((done) => setTimeout(done, ${LIMIT_MS})));
      });`;
    const { status, stderr } = runJest({ hangs, works }, { fileMinutesMax: 0.1 });
    expect(status).toBe(1);
    const [, progress] = stderr.split('hangs.test.mjs has not ended after 0.1 minutes: the run ends here\n');
    expect(progress?.replaceAll(/\d+\.\d s/g, '0 s')).toBe(
      '  failed after 0 s: a page is red: expect(received).toBe(expected) // Object.is equality\n' +
        '  runs for 0 s: a page comes to an end\n',
    );
  });

  it('names a file that does not end before its first test', () => {
    const hangs = `beforeAll(() => new Promise((done) => setTimeout(done, ${LIMIT_MS}))); ${works}`;
    const { stderr } = runJest({ hangs, works }, { fileMinutesMax: 0.1 });
    expect(stderr).toContain('the run ends here\n  none of its tests has begun\n');
  });

  it('ends where workers do not get to work before others have begun', () => {
    const runner = join(folder, 'runner.mjs');
    writeFileSync(runner, stoppingRunner());
    const names = Array.from({ length: 8 }, (_none, index) => [`file-${index}`, works]);
    expect(runFiles(Object.fromEntries(names), { runner })).toBe(0);
  });
});

/** Runs one file, then stops two workers for as long as it takes that files and answers for them pile up. */
function stoppingRunner(): string {
  return `
    import Runner from '${placed(config.runner)}';
    export default class extends Runner {
      #first;
      #isStopped = false;
      async _runTest(test) {
        if (this.#first === undefined) {
          this.#first = super._runTest(test);
          return this.#first;
        }
        await this.#first;
        if (!this.#isStopped) this.#stopTwo();
        return super._runTest(test);
      }
      #stopTwo() {
        this.#isStopped = true;
        const [[, { pool }]] = this._testRunners;
        const two = [...pool.threads].map(({ process }) => process.pid).toSorted((a, b) => a - b).slice(0, 2);
        for (const pid of two) process.kill(pid, 'SIGSTOP');
        setTimeout(() => two.map((pid) => process.kill(pid, 'SIGCONT')), 1500);
      }
    }`;
}
