import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { DOCKERFILE } from './images.ts';
import { ROOT } from './packages.ts';
import { runProgram } from './run-program.ts';

/** Of a Dockerfile: instructions COPY and RUN alone, each on one line. */
type Stage = { readonly name: string | undefined; readonly from: string; readonly lines: readonly string[] };

/**
 * Does by hand what the Dockerfile's instructions COPY and RUN say, each stage in `<folder>/<its name>`, the last one in
 * `<folder>/root`. A stage that begins with an image begins empty. Resolves to the folder of the last.
 */
export function runStages(folder: string, dockerfile = readFileSync(DOCKERFILE, 'utf8')): string {
  const stages = readStages(dockerfile);
  for (const stage of stages) {
    const tree = join(folder, stage.name ?? 'root');
    console.log(`stage ${stage.name ?? 'of the image'}`);
    rmSync(tree, { recursive: true, force: true });
    mkdirSync(join(tree, 'app'), { recursive: true });
    const isStage = stages.some(({ name }) => name === stage.from);
    if (isStage) cpSync(join(folder, stage.from), tree, { recursive: true, verbatimSymlinks: true });
    for (const line of stage.lines) runLine(line, folder, tree);
  }
  return join(folder, 'root');
}

export function readStages(dockerfile: string): Stage[] {
  return dockerfile
    .split(/^FROM /m)
    .slice(1)
    .map((text) => {
      const [first = '', ...rest] = text.replaceAll('\\\n', '').split('\n');
      const [, from = '', name] = /^(?:--platform=\S+ )?(\S+)(?: AS (\w+))?$/.exec(first) ?? [];
      return { name, from, lines: rest.filter((line) => /^(?:COPY|RUN) /.test(line)) };
    });
}

function runLine(line: string, folder: string, tree: string): void {
  const [, command] = /^RUN (.+)$/.exec(line) ?? [];
  if (command !== undefined) {
    runProgram('sh', ['-c', command], join(tree, 'app'));
    return;
  }
  const [, stage, paths = ''] = /^COPY (?:--from=(\w+) )?(.+)$/.exec(line) ?? [];
  const sources = paths.split(' ');
  const target = sources.pop() ?? '';
  for (const source of sources) {
    const into = target.startsWith('/') ? join(tree, target) : join(tree, 'app', target);
    const to = target.endsWith('/') ? join(into, source.split('/').at(-1) ?? '') : into;
    mkdirSync(dirname(to), { recursive: true });
    const filter = (path: string) => stage !== undefined || !isIgnored(path);
    cpSync(findSource(source, stage, folder), to, { recursive: true, verbatimSymlinks: true, filter });
  }
}

/** The stage `node` is an image of others, of which this program's own Node stands for the only file that is copied. */
function findSource(source: string, stage: string | undefined, folder: string): string {
  if (stage === undefined) return join(ROOT, source);
  return stage === 'node' ? process.execPath : join(folder, stage, source);
}

const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && line !== '*' && !line.startsWith('!'));

function isIgnored(path: string): boolean {
  const own = relative(ROOT, path);
  return ignored.some((prefix) => own === prefix || own.startsWith(`${prefix}/`));
}
