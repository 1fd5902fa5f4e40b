import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listBreakingChanges, readContract } from './api/compare.ts';
import { lintApi } from './api/lint.ts';
import { listSurfaceChanges, readSurfaces } from './api/surface.ts';

/**
 * `npm run check:api`: holds docs/openapi.json to the rules of `api/rules.ts`, and to the contract of the last release,
 * docs/released-api.json, which no change may break before the next major version; and what the Node client and the browser SDK export to
 * docs/released-clients.txt. `--release` writes both files: a step of the release. `--surface` writes the second alone, where a declaration
 * changed in a way that callers do not notice.
 */
const DOCS = join(import.meta.dirname, '..', 'docs');
const RELEASED = join(DOCS, 'released-api.json');
const CLIENTS = join(DOCS, 'released-clients.txt');

const text = readFileSync(join(DOCS, 'openapi.json'), 'utf8');
const current = readContract(JSON.parse(text));

const surfaces = readSurfaces();
const isRelease = process.argv.includes('--release');

if (isRelease) writeFileSync(RELEASED, `${JSON.stringify(current)}\n`);
if (isRelease || process.argv.includes('--surface')) {
  writeFileSync(CLIENTS, surfaces);
} else {
  const faults = [
    ...(await lintApi(text)),
    ...listBreakingChanges(JSON.parse(readFileSync(RELEASED, 'utf8')), current).map(
      (change) => `breaks the last release: ${change}`,
    ),
    ...listSurfaceChanges(readFileSync(CLIENTS, 'utf8'), surfaces).map(
      (change) =>
        `was exported by the last release: ${change} (where callers notice nothing: npm run check:api -- --surface)`,
    ),
  ];
  for (const fault of faults) console.error(fault);
  console.log(`docs/openapi.json and clients: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`);
  process.exit(faults.length === 0 ? 0 : 1);
}
