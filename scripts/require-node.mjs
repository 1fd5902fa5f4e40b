// Loads a TypeScript entry on a Node that can run it. npm puts node_modules/.bin first on the PATH, so its `node` is
// the devDependency's 24 even where the machine's own is older; this says so clearly where that failed.
import module from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
// 24.7 brought Argon2.
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `Node ${process.versions.node} cannot run this; 24.7 or newer is needed.\n` +
      'Run it through npm after `npm ci`, which installs Node 24 for this project ' +
      '(npm 12: check that package.json allows the install script of "node").',
  );
  process.exit(1);
}

// Compiled code is kept for the next start, of child processes too: a start takes 3.4 instead of 4.5 s of processor. It
// lies beside the packages, because only a user who may change the code may write there; on a read-only installation nothing
// is kept.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compile');
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);

const entry = resolve(process.argv[2]);
process.argv.splice(1, 2, entry);
await import(pathToFileURL(entry).href);
