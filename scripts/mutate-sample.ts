import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { browserEnvironment } from './find-chromium.ts';
import { measureImportDistances } from './import-distance.ts';
import { installPackage } from './install-package.ts';
import { copyProject, instrument, type Mutant, readSourcePath, splitMutant } from './mutants.ts';
import { createJudge, type Outcome, runTests, type TestFile } from './mutation-trials.ts';
import { createRunFolder } from './run-folder.ts';
import { exitWith } from './run-jest.ts';

const ROOT = resolve(import.meta.dirname, '..');
const REPORTS = join(ROOT, 'mutation/reports');
const USAGE = `npm run mutate:sample -- <count> <folder below src>...

Changes the code in small ways, as many of each folder as the count says, chosen by chance, and runs the test files that
execute each of them, first those that execute most of its file in the least time. Lists what neither a test,
the type checker nor the check of generated files notices.
MUTATION_SEED chooses others. All tests run once at first; each change then takes some ten seconds.`;

const WORKERS = 4;
/** More than there are cores: a change that a test waits for in vain costs time and no processor. */
const TRIED_AT_ONCE = 4;

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
    const judge = createJudge(copy, join(folder.path, 'checked'));
    const random = createRandom(Number(process.env.MUTATION_SEED ?? 1));
    for (const each of folders) {
      const chosen = choose(mutants.filter(isIn(each)), Number(count), random);
      report(each, await tryAll(chosen, (mutant) => judge(mutant, testsOf(mutant.id))));
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
  await runTests(copy, files, { MUTATION_COVERAGE: coverage }, 3600);
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
  const nearestTo = createNearest(seconds);
  return (id) => {
    const own = (ofMutant.get(id) ?? []).toSorted(byWorth);
    if (own.length === 0 || own.length > WORKERS) return own;
    // What runs when a module is loaded runs once in each worker, whichever test file came first.
    const file = fileOf.get(id) ?? '';
    const ofItsFile = (ofFile.get(file) ?? []).toSorted(byWorth);
    return mix(nearestTo(file), own, ofItsFile);
  };
}

/** Gives the test files that need a source file by the fewest imports, of those the quickest first. */
function createNearest(seconds: ReadonlyMap<string, number>): (file: string) => TestFile[] {
  const distances = new Map([...seconds.keys()].map((path) => [path, measureImportDistances(path)]));
  const distanceOf = (path: string, file: string) => distances.get(path)?.get(file) ?? Infinity;
  return (file) =>
    [...seconds]
      .map(([path, taken]) => ({ path, seconds: taken, inItsFile: 0, distance: distanceOf(path, file) }))
      .filter(({ distance }) => distance < Infinity)
      .toSorted((a, b) => a.distance - b.distance || a.seconds - b.seconds);
}

/** The first of each list, then the second of each, and so on: each test file once. */
function mix(...lists: readonly TestFile[][]): TestFile[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  const byPath = new Map<string, TestFile>();
  for (let index = 0; index < longest; index += 1)
    for (const test of lists.flatMap((list) => list.slice(index, index + 1)))
      if (!byPath.has(test.path)) byPath.set(test.path, test);
  return [...byPath.values()];
}

/** What a file executes of the changed one, for its time; loading it takes some as well. */
const worthOf = ({ inItsFile, seconds }: TestFile) => inItsFile / (seconds + 0.3);
const byWorth = (a: TestFile, b: TestFile) => worthOf(b) - worthOf(a);

function choose(mutants: readonly Mutant[], count: number, random: () => number): Mutant[] {
  const left = [...mutants];
  const chosen: Mutant[] = [];
  while (chosen.length < count && left.length > 0)
    chosen.push(...left.splice(Math.floor(random() * left.length), 1));
  return chosen;
}

async function tryAll(
  mutants: readonly Mutant[],
  judge: (mutant: Mutant) => Promise<Outcome['result']>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...mutants];
  const work = async () => {
    for (let mutant = waiting.pop(); mutant !== undefined; mutant = waiting.pop())
      outcomes.push(tell({ mutant, result: await judge(mutant) }));
  };
  await Promise.all(Array.from({ length: TRIED_AT_ONCE }, work));
  return outcomes;
}

/** Each as it comes, since a run takes long. */
function tell(outcome: Outcome): Outcome {
  const { mutant, result } = outcome;
  const { location, mutatorName, replacement } = mutant;
  const where = `${readSourcePath(mutant)}:${location.start.line + 1}:${location.start.column + 1}`;
  const change = `${shorten(splitMutant(mutant).original)} => ${shorten(replacement)}`;
  console.log(
    `${result}: ${where} ${mutatorName}${result === 'noticed' || result === 'checked' ? '' : `: ${change}`}`,
  );
  return outcome;
}

const shorten = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, 100);

function report(folder: string, outcomes: readonly Outcome[]): void {
  const count = (wanted: Outcome['result']) => outcomes.filter(({ result }) => result === wanted).length;
  const [noticed, checked] = [count('noticed'), count('checked')];
  console.log(
    `${folder}: of ${outcomes.length} changes tests notice ${noticed}, types and generated files ${checked} more`,
  );
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
