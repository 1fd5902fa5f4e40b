import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  computeIntegrity,
  PACKAGES,
  readManifest,
  readTarball,
  readVersion,
  releaseFolder,
  tarballName,
} from './packages.ts';
import { runProgram } from './run-program.ts';

type Packument = {
  name: string;
  'dist-tags': Record<string, string>;
  versions: Record<string, { dist: { integrity: string } }>;
};

/**
 * A step of the release where nothing is to be published: <folder>/registry looks as npm's registry does, so that `npm install` can be
 * tried (`tools/release/serve-registry.ts`). As there, a version cannot be published again with other bytes.
 */
const folder = releaseFolder();
const version = readVersion();
// What was made last is what is published.
runProgram('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], folder);
for (const published of PACKAGES) {
  const home = join(folder, 'registry', published.name);
  const tarball = readTarball(folder, published);
  const file = `${published.name.split('/')[1]}-${version}.tgz`;
  const packument = readPackument(join(home, 'index.json')) ?? {
    name: published.name,
    'dist-tags': {},
    versions: {},
  };
  const integrity = computeIntegrity(tarball);
  const known = packument.versions[version]?.dist.integrity ?? integrity;
  if (known !== integrity) throw new Error(`${tarballName(published.name)} is published with other bytes.`);
  const dist = { integrity, tarball: `/${published.name}/-/${file}` };
  packument.versions[version] = { ...readManifest(published.folder), dist };
  packument['dist-tags'][version.includes('-') ? 'next' : 'latest'] = version;
  // npm's registry gives the first version of a package this tag, whatever it is.
  packument['dist-tags'].latest ??= version;
  mkdirSync(join(home, '-'), { recursive: true });
  writeFileSync(join(home, '-', file), tarball);
  writeFileSync(join(home, 'index.json'), `${JSON.stringify(packument, null, 2)}\n`);
  console.log(`published into the folder: ${published.name}@${version}`);
}

function readPackument(file: string): Packument | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
