// Starts a TypeScript entry on a Node that can run it. npm puts node_modules/.bin first on the PATH, so its `node`
// is the devDependency's 24 even where the machine's own is older; this says so clearly where that failed.
import { spawn } from 'node:child_process';

const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(
    `Node ${process.versions.node} cannot run this; 24 or newer is needed.\n` +
      'Run it through npm after `npm ci`, which installs Node 24 for this project ' +
      '(npm 12: check that package.json allows the install script of "node").',
  );
  process.exit(1);
}

const [entry, ...rest] = process.argv.slice(2);
const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...rest], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
