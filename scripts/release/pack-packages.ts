import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packServer } from './pack-server.ts';
import { PACKAGES, ROOT, releaseFolder, tarballName } from './packages.ts';
import { runProgram } from './run-program.ts';

/** A step of the release: what is published, as `npm pack` makes it, in <folder>/packages. */
const target = join(releaseFolder(), 'packages');
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
await packServer();
for (const { name, folder } of PACKAGES) {
  runProgram('npm', ['pack', '--silent', '--pack-destination', target], join(ROOT, folder));
  console.log(tarballName(name));
}
