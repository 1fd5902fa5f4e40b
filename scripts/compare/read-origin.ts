import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../src/lib/is-record.ts';
import type { Origin } from './origins.ts';

/** An origin's files by their paths. `address` names one of them so that a reader finds it. */
export type OriginFiles = {
  readonly origin: Origin;
  readonly files: ReadonlyMap<string, string>;
  address(path: string): string;
};

const COMMIT_LENGTH = 10;
const FILE_BYTES_MAX = 8 * 1024 * 1024;
const ANSWER_BYTES_MAX = 2 ** 30;
const NEWLINE = 10;

/**
 * The origin's files. A package is downloaded by npm into `work`; of a repository the snapshot below `repositories` is read,
 * a clone or a bare repository named `owner+name`. Undefined: there is none.
 */
export function readOrigin(origin: Origin, repositories: string, work: string): OriginFiles | undefined {
  const name = origin.from.replace('/', '+');
  if (name.endsWith('*')) return readRepositories(origin, repositories, name.slice(0, -1));
  return origin.kind === 'package'
    ? readPackage(origin, join(work, name))
    : withOrigin(origin, readRepository(origin, join(repositories, name)));
}

function withOrigin(origin: Origin, found: Omit<OriginFiles, 'origin'> | undefined): OriginFiles | undefined {
  return found && { ...found, origin };
}

function readPackage(origin: Origin, target: string): OriginFiles {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  run('npm', ['pack', origin.from, '--silent', '--pack-destination', target]);
  const [archive = ''] = readdirSync(target);
  run('tar', ['-xzf', join(target, archive), '-C', target]);
  const manifest: unknown = JSON.parse(readFileSync(join(target, 'package/package.json'), 'utf8'));
  const version = isRecord(manifest) ? String(manifest.version) : '';
  const paths = readdirSync(target, { recursive: true, encoding: 'utf8' })
    .map((path) => join(target, path))
    .filter((path) => origin.file.test(path) && statSync(path).size <= FILE_BYTES_MAX);
  const files = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
  return { origin, files, address: () => `${origin.from}@${version}` };
}

/** Long documents are read by the lines that can have an address or the place of a key. */
const TELLING =
  /https?:|authori[sz]ation|bearer|basic|api-?_?key|scheme|token|baseUrl|^\s*-? *(in|name|parameter|host|basePath):/i;
const LINE_LENGTH_MAX = 2000;

/** All snapshots of one owner as one origin: the name of each is the first folder of its files. */
function readRepositories(origin: Origin, folder: string, prefix: string): OriginFiles {
  const files = new Map<string, string>();
  for (const name of readdirSync(folder).filter((each) => each.startsWith(prefix))) {
    const short = name.slice(prefix.length);
    const isRead = (path: string) => origin.file.test(`${short}/${path}`);
    const found = readRepository({ ...origin, file: { test: isRead } }, join(folder, name));
    for (const [path, text] of found?.files ?? []) files.set(`${short}/${path}`, keepTelling(text));
  }
  const owner = origin.from.slice(0, -1);
  return { origin, files, address: (path) => `https://github.com/${owner}${path.split('/', 1)[0]}` };
}

function keepTelling(text: string): string {
  const lines = text.split('\n').filter((line) => line.length < LINE_LENGTH_MAX && TELLING.test(line));
  return [...new Set(lines)].join('\n');
}

type Filter = Pick<Origin, 'from' | 'paths'> & { readonly file: { test(path: string): boolean } };

function readRepository(origin: Filter, given: string): Omit<OriginFiles, 'origin'> | undefined {
  const gitDirectory = [join(given, 'repo'), join(given, '.git'), given].find((path) =>
    existsSync(join(path, 'HEAD')),
  );
  if (gitDirectory === undefined) return undefined;
  const git = (args: readonly string[], input = '') =>
    run('git', ['--git-dir', gitDirectory, ...args], input);
  const commit = git(['rev-parse', 'HEAD']).toString().slice(0, COMMIT_LENGTH);
  const paths = git(['ls-tree', '-r', '-z', '--name-only', 'HEAD', ...origin.paths])
    .toString()
    .split('\0')
    .filter((path) => path !== '' && origin.file.test(path) && !path.includes('\n'));
  const answer = git(['cat-file', '--batch'], paths.map((path) => `HEAD:${path}\n`).join(''));
  const base = `https://github.com/${origin.from}/blob/${commit}`;
  return { files: splitBatch(answer, paths), address: (path) => encodeURI(`${base}/${path}`) };
}

/** The answer of `git cat-file --batch`: a line with the size, or with `missing`, and the content after it. */
function splitBatch(answer: Buffer, paths: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  let start = 0;
  for (const path of paths) {
    const end = answer.indexOf(NEWLINE, start);
    const [, size] = / blob (\d+)$/.exec(answer.toString('utf8', start, end)) ?? [];
    start = end + 1;
    if (size === undefined) continue;
    if (Number(size) <= FILE_BYTES_MAX) files.set(path, answer.toString('utf8', start, start + Number(size)));
    start += Number(size) + 1;
  }
  return files;
}

function run(command: string, args: readonly string[], input = ''): Buffer {
  return execFileSync(command, args, {
    input,
    stdio: ['pipe', 'pipe', 'inherit'],
    maxBuffer: ANSWER_BYTES_MAX,
  });
}
