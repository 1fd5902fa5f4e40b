import { spawn } from 'node:child_process';
import cluster from 'node:cluster';
import { join, resolve } from 'node:path';
import { canBuildDashboard, isDashboardCurrent } from './build-dashboard.ts';

const ROOT = resolve(import.meta.dirname, '..');
const BUILD = [join(ROOT, 'scripts/require-node.mjs'), join(ROOT, 'scripts/build-dashboard.ts')];

/**
 * `npm start`: builds the dashboard where its sources have changed, then is the gateway. An installation without
 * development packages starts with what is there.
 */
if (cluster.isPrimary && canBuildDashboard() && !isDashboardCurrent()) await buildInChild();
await import('../src/main.ts');

/** In a process of its own, whose memory ends with it. A signal ends both; a failed build does not stop the gateway. */
async function buildInChild(): Promise<void> {
  const child = spawn(process.execPath, BUILD, { stdio: ['ignore', 'inherit', 'inherit'] });
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    process.exit(128 + (signal === 'SIGINT' ? 2 : 15));
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  await new Promise((done) => child.once('error', done).once('close', done));
  process.off('SIGINT', end).off('SIGTERM', end);
}
