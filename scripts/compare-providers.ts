import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { computeEvidence } from '../src/catalog/facts/evidence.ts';
import { parseProviderFile } from '../src/catalog/loading/provider-from-file.ts';
import type { ProviderFile } from '../src/catalog/schema/provider.schema.ts';
import { compareEntry, createSharedServers, type Opinion } from './compare/judge.ts';
import { createMatcher, mergeRecords } from './compare/match.ts';
import { ORIGINS } from './compare/origins.ts';
import { readOrigin } from './compare/read-origin.ts';
import { readRecords } from './compare/read-records.ts';
import { listSources, withSources } from './compare/write-sources.ts';

/**
 * A second opinion for every built-in provider file: `npm run compare:providers -- --repositories <folder>` reads other open
 * catalogs, from packages and from snapshots of repositories in that folder (`owner+name`), and prints as JSON where they
 * differ. With `--write` the sources that agree are written into the files. It downloads packages, so no build runs it.
 * Facts are compared and nothing else is taken over: no text and no code of a source may enter this repository.
 */
const { values } = parseArgs({
  options: {
    repositories: { type: 'string', default: '.' },
    work: { type: 'string', default: join(tmpdir(), 'compare-providers') },
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    write: { type: 'boolean', default: false },
  },
});
const DIRECTORY = resolve(import.meta.dirname, '../src/catalog/providers');

const files = readFiles();
const opinions = compareAll();
if (values.write) for (const [path, found] of opinions) write(path, found);
console.log(JSON.stringify(report(), null, 1));

function readFiles(): ReadonlyMap<string, ProviderFile> {
  const found = new Map<string, ProviderFile>();
  for (const name of readdirSync(DIRECTORY).filter((each) => each.endsWith('.yaml'))) {
    const path = join(DIRECTORY, name);
    const parsed = parseProviderFile(parse(readFileSync(path, 'utf8')));
    if (parsed.ok) found.set(path, parsed.file);
  }
  return found;
}

function compareAll(): ReadonlyMap<string, readonly Opinion[]> {
  mkdirSync(values.work, { recursive: true });
  const records = ORIGINS.flatMap((origin) => {
    const given = readOrigin(origin, resolve(values.repositories), values.work);
    const found = given === undefined ? [] : readRecords(given);
    console.error(`${origin.from}: ${found.length} records`);
    return found;
  });
  const merged = mergeRecords(records);
  const match = createMatcher([...files.values()], merged);
  const isSharedServer = createSharedServers([...files.values()], merged);
  return new Map(
    [...files].map(([path, file]) => [
      path,
      match(file).map((record) => compareEntry(file, record, isSharedServer)),
    ]),
  );
}

function write(path: string, found: readonly Opinion[]): void {
  writeFileSync(path, withSources(readFileSync(path, 'utf8'), listSources(found, values.date), values.date));
}

/** Where sources differ from an entry, the ones to look at. */
function report() {
  return [...files].map(([path, file]) => {
    const found = opinions.get(path) ?? [];
    return {
      id: file.id,
      evidence: computeEvidence({ ...file, sources: listSources(found, values.date) }) ?? 'transcribed',
      agrees: found
        .filter(({ agrees }) => agrees.length > 0)
        .map(({ record, agrees }) => `${record.origin} ${record.name}: ${agrees.join(' ')}`),
      differs: listDifferences(found),
    };
  });
}

/** A difference counts where the origin nowhere agrees on the same facts. */
function listDifferences(found: readonly Opinion[]) {
  const agreed = new Set(
    found.flatMap(({ record, agrees }) => agrees.map((group) => `${record.origin} ${group}`)),
  );
  return found.flatMap(({ record, differs }) =>
    differs
      .filter(({ group }) => !agreed.has(`${record.origin} ${group}`))
      .map((difference) => ({ source: `${record.origin} ${record.name}`, ...difference })),
  );
}
