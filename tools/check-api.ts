import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listBreakingChanges, readContract } from './api/compare.ts';
import { lintApi } from './api/lint.ts';

/**
 * `npm run check:api`: holds docs/openapi.json to the rules of `api/rules.ts`, and to the contract of the last release,
 * docs/released-api.json, which no change may break before the next major version. `--release` writes that file: a step
 * of the release.
 */
const DOCS = join(import.meta.dirname, '..', 'docs');
const RELEASED = join(DOCS, 'released-api.json');

const text = readFileSync(join(DOCS, 'openapi.json'), 'utf8');
const current = readContract(JSON.parse(text));

if (process.argv.includes('--release')) {
  writeFileSync(RELEASED, `${JSON.stringify(current)}\n`);
} else {
  const faults = [
    ...(await lintApi(text)),
    ...listBreakingChanges(JSON.parse(readFileSync(RELEASED, 'utf8')), current).map(
      (change) => `breaks the last release: ${change}`,
    ),
  ];
  for (const fault of faults) console.error(fault);
  console.log(`docs/openapi.json: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`);
  process.exit(faults.length === 0 ? 0 : 1);
}
