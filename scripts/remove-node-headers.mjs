// Runs after `npm ci`, on whatever Node the machine has. The package `node` brings the C headers of Node along, a third of
// its size, which only native addons are compiled with. This project compiles none (decision 0016).
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(process.argv[2] ?? process.cwd(), 'node_modules/node/node_modules');
if (existsSync(packages)) {
  for (const name of readdirSync(packages).filter((entry) => entry.startsWith('node-'))) {
    rmSync(join(packages, name, 'include'), { recursive: true, force: true });
  }
}
