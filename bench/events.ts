import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs the measurements of events one after the other: two at once would measure each other. */
for (const file of ['webhook-acknowledgement.ts', 'deliveries.ts']) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, file)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
