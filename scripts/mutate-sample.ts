import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browserEnvironment } from './find-chromium.ts';
import { installPackage } from './install-package.ts';
import { createRunFolder } from './run-folder.ts';
import { exitWith } from './run-jest.ts';

const ROOT = resolve(import.meta.dirname, '..');
const REPORTS = join(ROOT, 'mutation/reports');
const USAGE = `npm run mutate:sample -- <count> <folder below src>...

Changes the code in small ways, as many of each folder as the count says, chosen by chance, and runs the test files that
execute each of them, first those that execute most of its file in the least time. Lists what no test notices.
MUTATION_SEED chooses others. All tests run once at first; each change then takes some ten seconds.`;

const WORKERS = 4;
/** Test files that one change is tried with: their time together, beyond which it counts as unnoticed. */
const TRIED_SECONDS_MAX = 60;
/** More than there are cores: a change that a test waits for in vain costs time and no processor. */
const TRIED_AT_ONCE = 4;
/** A change may make a test wait for ever. */
const SLOWER_TIMES = 2;
const START_SECONDS = 15;

type Place = { readonly line: number; readonly column: number };
type Mutant = {
  readonly id: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: { readonly start: Place; readonly end: Place };
  /** Set for those that are left out. */
  readonly status?: string;
};
type TestFile = { readonly path: string; readonly seconds: number; readonly inItsFile: number };
type Outcome = {
  readonly mutant: Mutant;
  readonly result: 'noticed' | 'unnoticed' | 'not executed' | 'unclear';
};

/** `npm run mutate:sample`: what `npm run mutate` tells of whole folders, estimated within an hour. */
exitWith(async () => {
  const [count = '', ...folders] = process.argv.slice(2);
  if (!(Number(count) > 0) || folders.length === 0) {
    console.error(USAGE);
    return 1;
  }
  installPackage('mutation');
  const folder = createRunFolder();
  process.env.TMPDIR = folder.path;
  const copy = copyProject(join(folder.path, 'project'));
  Object.assign(process.env, browserEnvironment());
  const mutants = await instrument(copy, folders);
  const { default: setUp } = await import(join(copy, 'test/support/jest-setup.ts'));
  const { default: tearDown } = await import(join(copy, 'test/support/jest-teardown.ts'));
  await setUp();
  try {
    const testsOf = await measureTests(copy, folder.path, mutants);
    const random = createRandom(Number(process.env.MUTATION_SEED ?? 1));
    for (const each of folders) {
      const chosen = choose(mutants.filter(isIn(each)), Number(count), random);
      report(each, await tryAll(copy, chosen, testsOf));
    }
    return 0;
  } finally {
    await tearDown();
    folder.remove();
  }
});

const isIn =
  (folder: string) =>
  ({ fileName }: Mutant) =>
    fileName.includes(`/src/${folder}/`);

/** Everything that git knows of, with the installed packages of this one. */
function copyProject(target: string): string {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(ROOT, file), join(target, file));
  }
  for (const packages of ['node_modules', 'tools/node_modules'])
    symlinkSync(join(ROOT, packages), join(target, packages));
  for (const built of readdirSync(join(ROOT, 'src/web/dashboard'))) {
    const from = join(ROOT, 'src/web/dashboard', built);
    if (built.startsWith('dist')) cpSync(from, join(target, 'src/web/dashboard', built), { recursive: true });
  }
  return target;
}

/** Puts every change into the copy's files, where the environment chooses one of them, and lists them. */
async function instrument(copy: string, folders: readonly string[]): Promise<Mutant[]> {
  const module = pathToFileURL(
    join(ROOT, 'mutation/node_modules/@stryker-mutator/instrumenter/dist/src/index.js'),
  );
  const { Instrumenter } = await import(module.href);
  const paths = folders.flatMap((folder) =>
    readdirSync(join(copy, 'src', folder), { recursive: true, encoding: 'utf8' })
      // Threads have a globalThis of their own, whose coverage nobody collects.
      .filter((path) => path.endsWith('.ts') && !path.includes('.thread.'))
      .map((path) => join(copy, 'src', folder, path)),
  );
  const files = paths.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }));
  const silent = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false };
  // Changed texts of messages and logs are seen by few tests, and rightly so.
  const options = { plugins: null, excludedMutations: ['StringLiteral'], ignorers: [] };
  const made = await new Instrumenter(silent).instrument(files, options);
  for (const { name, content } of made.files) writeFileSync(name, content);
  const contents = new Map(files.map(({ name, content }) => [name, content]));
  return made.mutants.filter(
    (mutant: Mutant) =>
      mutant.status === undefined && !isDocumentation(mutant, contents.get(mutant.fileName)),
  );
}

/** What the OpenAPI document alone says: `npm run generate -- --check` sees its changes. */
function isDocumentation({ location: { start } }: Mutant, content = ''): boolean {
  const line = content.split('\n')[start.line] ?? '';
  return /\.meta\($/.test(line.slice(0, start.column));
}

/**
 * Runs all tests once, and gives the test files that execute a change: first those that execute the most of the changed
 * file in the least time.
 */
async function measureTests(
  copy: string,
  folder: string,
  mutants: readonly Mutant[],
): Promise<(mutantId: string) => TestFile[]> {
  const coverage = join(folder, 'coverage');
  const output = join(folder, 'first-run.json');
  const files = [`--maxWorkers=${WORKERS}`, '--json', `--outputFile=${output}`];
  await runJest(copy, files, { MUTATION_COVERAGE: coverage }, 3600);
  const { testResults, numFailedTests } = JSON.parse(readFileSync(output, 'utf8'));
  console.log(`All tests ran once; ${numFailedTests} of them fail in the copy, in files that are left out.`);
  const seconds = new Map<string, number>();
  for (const { name, status, startTime, endTime } of testResults)
    if (status === 'passed') seconds.set(name, (endTime - startTime) / 1000);
  const fileOf = new Map(mutants.map(({ id, fileName }) => [id, fileName]));
  const ofMutant = new Map<string, TestFile[]>();
  const ofFile = new Map<string, TestFile[]>();
  const add = (tests: Map<string, TestFile[]>, key: string, test: TestFile) =>
    tests.set(key, [...(tests.get(key) ?? []), test]);
  for (const name of readdirSync(coverage))
    for (const [path, ids] of JSON.parse(readFileSync(join(coverage, name), 'utf8')) as [
      string,
      string[],
    ][]) {
      const taken = seconds.get(path);
      if (taken === undefined) continue;
      for (const [file, executed] of Map.groupBy(ids, (id) => fileOf.get(id) ?? '')) {
        const test = { path, seconds: taken, inItsFile: executed.length };
        add(ofFile, file, test);
        for (const id of executed) add(ofMutant, id, test);
      }
    }
  return (id) => {
    const own = (ofMutant.get(id) ?? []).toSorted(byWorth);
    if (own.length === 0 || own.length > WORKERS) return own;
    // What runs when a module is loaded runs once in each worker, whichever test file came first.
    const others = (ofFile.get(fileOf.get(id) ?? '') ?? []).filter((test) => !own.some(isSame(test)));
    return [...own, ...others.toSorted(byWorth)];
  };
}

/** What a file executes of the changed one, for its time; loading it takes some as well. */
const worthOf = ({ inItsFile, seconds }: TestFile) => inItsFile / (seconds + 0.3);
const byWorth = (a: TestFile, b: TestFile) => worthOf(b) - worthOf(a);
const isSame = (a: TestFile) => (b: TestFile) => a.path === b.path;

function choose(mutants: readonly Mutant[], count: number, random: () => number): Mutant[] {
  const left = [...mutants];
  const chosen: Mutant[] = [];
  while (chosen.length < count && left.length > 0)
    chosen.push(...left.splice(Math.floor(random() * left.length), 1));
  return chosen;
}

async function tryAll(
  copy: string,
  mutants: readonly Mutant[],
  testsOf: (id: string) => TestFile[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...mutants];
  const tryMutant = createTrials(copy);
  const work = async () => {
    for (let mutant = waiting.pop(); mutant !== undefined; mutant = waiting.pop())
      outcomes.push(tell({ mutant, result: await tryMutant(mutant, testsOf(mutant.id)) }));
  };
  await Promise.all(Array.from({ length: TRIED_AT_ONCE }, work));
  return outcomes;
}

/** Tries one change with its tests. What fails must pass without the change, among the same trials beside it. */
function createTrials(copy: string): (mutant: Mutant, tests: TestFile[]) => Promise<Outcome['result']> {
  const passes = new Map<string, Promise<boolean>>();
  const isPassed = async (files: readonly TestFile[], env: Readonly<Record<string, string>>) => {
    const limit = START_SECONDS + SLOWER_TIMES * files.reduce((sum, test) => sum + test.seconds, 0);
    const options = ['--bail', '--maxWorkers=1', '--forceExit', '--runTestsByPath'];
    return (await runJest(copy, [...options, ...files.map(({ path }) => path)], env, limit)) === 0;
  };
  const isPassedUnchanged = (files: readonly TestFile[]) => {
    const key = files.map(({ path }) => path).join();
    const passed = passes.get(key) ?? isPassed(files, {});
    passes.set(key, passed);
    return passed;
  };
  return async (mutant, tests) => {
    if (tests.length === 0) return 'not executed';
    let seconds = 0;
    const tried = tests.filter((test, index) => {
      seconds += test.seconds;
      return index === 0 || seconds <= TRIED_SECONDS_MAX;
    });
    for (const files of [tried.slice(0, 3), tried.slice(3)]) {
      if (files.length === 0 || (await isPassed(files, { __STRYKER_ACTIVE_MUTANT__: mutant.id }))) continue;
      return (await isPassedUnchanged(files)) ? 'noticed' : 'unclear';
    }
    return 'unnoticed';
  };
}

/** Jest's exit code; 1 where it took longer than the limit. */
function runJest(
  copy: string,
  arguments_: readonly string[],
  env: Readonly<Record<string, string>>,
  limitSeconds: number,
): Promise<number> {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const options = [
    '--disable-warning=ExperimentalWarning',
    jest,
    '--config',
    'mutation/sample.jest.config.mjs',
  ];
  const child = spawn(process.execPath, [...options, ...arguments_], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, ...env },
  });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), limitSeconds * 1000);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code ?? 1);
    });
  });
}

/** Each as it comes, since a run takes long. */
function tell(outcome: Outcome): Outcome {
  const { mutant, result } = outcome;
  const { fileName, location, mutatorName, replacement } = mutant;
  const file = fileName.replace(/^.*\/src\//, 'src/');
  const where = `${file}:${location.start.line + 1}:${location.start.column + 1}`;
  const change = `${shorten(originalOf(file, mutant))} => ${shorten(replacement)}`;
  console.log(`${result}: ${where} ${mutatorName}${result === 'noticed' ? '' : `: ${change}`}`);
  return outcome;
}

function originalOf(file: string, { location: { start, end } }: Mutant): string {
  const lines = readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .slice(start.line, end.line + 1);
  const last = lines.pop() ?? '';
  // The end is cut first: on one line its column counts from the line's beginning, too.
  return [...lines, last.slice(0, end.column)].join('\n').slice(start.column);
}

const shorten = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, 100);

function report(folder: string, outcomes: readonly Outcome[]): void {
  const noticed = outcomes.filter(({ result }) => result === 'noticed').length;
  console.log(`${folder}: ${noticed} of ${outcomes.length} changes noticed`);
  const file = join(REPORTS, `sample-${folder}.json`);
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(file, JSON.stringify(outcomes, null, 2));
}

/** Numbers from 0 to 1, the same for the same seed (the minimal standard generator). */
function createRandom(seed: number): () => number {
  let state = (seed * 48_271 + 11) % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
