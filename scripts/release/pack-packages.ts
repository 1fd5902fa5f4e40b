import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packPackage } from './pack-package.ts';
import { packServer } from './pack-server.ts';
import { PACKAGES, ROOT, releaseFolder, tarballName } from './packages.ts';

/** A step of the release: what is published, as `npm pack` makes it, in <folder>/packages. */
const target = join(releaseFolder(), 'packages');
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
await packServer();
for (const { name, folder } of PACKAGES) {
  packPackage(join(ROOT, folder), target);
  console.log(tarballName(name));
}
