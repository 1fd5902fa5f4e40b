import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runStages } from './dockerfile-stages.ts';
import { releaseFolder } from './packages.ts';

/**
 * `npm run image:layout -- --to <folder>`: does by hand what the Dockerfile has copied and run, for machines without a container
 * engine, and says how large the image is. <folder>/root is what it has above its base.
 */
const MEGABYTE = 1_000_000;
const IMAGE_BYTES_MAX = 250 * MEGABYTE;
/** Of gcr.io/distroless/cc-debian13: glibc, libstdc++, OpenSSL, certificates, time zones; rounded up. */
const BASE_BYTES = 30 * MEGABYTE;

const tree = runStages(releaseFolder());
const app = join(tree, 'app');
const parts = {
  node: join(tree, 'usr'),
  node_modules: join(app, 'node_modules'),
  documents: join(app, 'site'),
  app,
};
for (const [name, path] of Object.entries(parts)) console.log(`${name}: ${inMegabytes(sizeOf(path))}`);
const size = sizeOf(tree) + BASE_BYTES;
console.log(
  `with ${inMegabytes(BASE_BYTES)} of the base: ${inMegabytes(size)} of ${inMegabytes(IMAGE_BYTES_MAX)}`,
);
process.exit(size <= IMAGE_BYTES_MAX ? 0 : 1);

function sizeOf(path: string): number {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`;
}
