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
  return origin.kind === 'package'
    ? readPackage(origin, join(work, name))
    : readRepository(origin, join(repositories, name));
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

function readRepository(origin: Origin, given: string): OriginFiles | undefined {
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
  return { origin, files: splitBatch(answer, paths), address: (path) => encodeURI(`${base}/${path}`) };
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
