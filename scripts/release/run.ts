import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, releaseFolder } from './packages.ts';

/**
 * `npm run release -- --to <folder>`: each step of a release, with publishing replaced by a folder (docs/releasing.md). A step is a
 * program of its own, which can be run again by itself.
 */
const STEPS = [
  'scripts/release/check-version.ts',
  'scripts/release/pack-packages.ts',
  'tools/release/check-packages.ts',
  'scripts/release/write-sboms.ts',
  'scripts/release/write-checksums.ts',
  'scripts/release/write-provenance.ts',
  'scripts/release/sign-provenance.ts',
  'scripts/release/write-notes.ts',
  'scripts/release/publish-to-folder.ts',
];

const folder = releaseFolder();
mkdirSync(folder, { recursive: true });
for (const step of STEPS) {
  console.log(`\n${step}`);
  const { status } = spawnSync(process.execPath, [join(ROOT, step), '--to', folder], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) {
    console.error(`The release stopped at ${step}.`);
    process.exit(1);
  }
}
