import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../manifests.ts';

/** So many migrations are between the older release and this one. */
const MIGRATIONS_BETWEEN = 5;

/** The commit before the last five migrations, or the one that UPGRADE_FROM names; undefined without the history. */
export function findOlderCommit(): string | undefined {
  if (process.env.UPGRADE_FROM) return process.env.UPGRADE_FROM;
  const migrations = readdirSync(join(ROOT, 'migrations')).filter((name) => /^\d{4}_.*\.ts$/.test(name));
  const first = migrations.sort().at(-MIGRATIONS_BETWEEN);
  const added = git('log', '--diff-filter=A', '--format=%H', '--', `migrations/${first}`)?.trim();
  const commit = added?.split('\n').at(-1);
  return commit && git('rev-parse', '--verify', '--quiet', `${commit}~1`)?.trim();
}

/** Puts that commit into a folder, with the packages of this one; its main module. */
export function unpackRelease(commit: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const { status } = spawnSync('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, folder], {
    cwd: ROOT,
  });
  if (status !== 0) throw new Error(`The commit ${commit} is not in this repository.`);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'src/main.ts');
}

function git(...words: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}
