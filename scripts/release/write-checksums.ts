import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashHex, listArtifacts, releaseFolder } from './packages.ts';

/** A step of the release: <folder>/SHA256SUMS, which `sha256sum --check` reads. */
const folder = releaseFolder();
const lines = listArtifacts(folder).map(
  (path) => `${hashHex('sha256', readFileSync(join(folder, path)))}  ${path}\n`,
);
writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
console.log(`SHA256SUMS: ${lines.length} files`);
