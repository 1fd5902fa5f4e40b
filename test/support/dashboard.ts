import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../scripts/build-dashboard.ts', import.meta.url));

/** Builds the dashboard once for its present sources, in a Node of its own: Vite does not run within jest. */
export function buildDashboard(): void {
  execFileSync(process.execPath, [SCRIPT], { stdio: ['ignore', 'ignore', 'pipe'] });
}
