import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  computeIntegrity,
  PACKAGES,
  ROOT,
  readTarball,
  readVersion,
  releaseFolder,
  tarballName,
} from './packages.ts';
import { runProgram } from './run-program.ts';

/**
 * A step of the release, in the workflow alone: publishes the packages with npm's provenance. One that is there with the same bytes is
 * left as it is, so that a release that stopped half-way can be run again. `--dry-run` says what would be done.
 */
const folder = releaseFolder();
const version = readVersion();
const tag = version.includes('-') ? 'next' : 'latest';
const isDryRun = process.argv.includes('--dry-run');
runProgram('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], folder);
for (const published of PACKAGES) {
  const known = isDryRun ? undefined : readPublished(`${published.name}@${version}`);
  if (known !== undefined) {
    if (known !== computeIntegrity(readTarball(folder, published)))
      throw new Error(`${published.name}@${version} is published with other bytes.`);
    console.log(`was published before: ${published.name}@${version}`);
    continue;
  }
  const file = join(folder, 'packages', tarballName(published.name));
  const parts = ['publish', file, '--access', 'public', '--tag', tag];
  runProgram('npm', [...parts, ...(isDryRun ? ['--dry-run'] : ['--provenance'])], ROOT);
  console.log(`${isDryRun ? 'would be published' : 'published'}: ${published.name}@${version} as ${tag}`);
}

/** The integrity that npm's registry has of this version. */
function readPublished(name: string): string | undefined {
  const { status, stdout } = spawnSync('npm', ['view', name, 'dist.integrity'], { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}
