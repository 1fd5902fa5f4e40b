import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');

type Place = { readonly line: number; readonly column: number };
/** One change of the code, as Stryker makes it. Lines and columns count from 0. */
export type Mutant = {
  readonly id: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: { readonly start: Place; readonly end: Place };
  /** Set for those that are left out. */
  readonly status?: string;
};

/** Everything that git knows of, with the installed packages of this one. */
export function copyProject(target: string): string {
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
export async function instrument(copy: string, folders: readonly string[]): Promise<Mutant[]> {
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

/** The file that is changed, within the project. */
export const readSourcePath = ({ fileName }: Mutant) => fileName.replace(/^.*\/src\//, 'src/');

/** The source of the file, and what stands before, in and after the changed place. */
export function splitMutant(mutant: Mutant) {
  const content = readFileSync(join(ROOT, readSourcePath(mutant)), 'utf8');
  const starts = [0, ...content.matchAll(/\n/g).map(({ index }) => index + 1)];
  const at = ({ line, column }: Place) => (starts[line] ?? 0) + column;
  const [from, to] = [at(mutant.location.start), at(mutant.location.end)];
  return {
    content,
    before: content.slice(0, from),
    original: content.slice(from, to),
    after: content.slice(to),
  };
}
