// Runs after `npm ci`, on whatever Node the machine has. The package `node` brings the C headers of Node along, a third of
// its size, which only native addons are compiled with. This project compiles none (decision 0016).
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const packages = join(root, 'node_modules/node/node_modules');
if (existsSync(packages)) {
  for (const name of readdirSync(packages).filter((entry) => entry.startsWith('node-'))) {
    rmSync(join(packages, name, 'include'), { recursive: true, force: true });
  }
}
