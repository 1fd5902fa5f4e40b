import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { listSources } from '../src/catalog/facts/evidence.ts';
import { loadCatalog, loadProviderFile } from '../src/catalog/loading/catalog.ts';
import { parseProviderFile } from '../src/catalog/loading/provider-from-file.ts';
import { dryRun } from '../src/dry-run/dry-run-provider.ts';
import { StartError } from '../src/lib/start-error.ts';
import type { DryRun } from '../src/providers/custom-providers.schema.ts';
import { checkLive, type LiveCheck, liveReport } from './check-live.ts';
import { findDomain, normalizeAddress } from './compare/extract.ts';
import { keepResults, listDiffering, listReports, readResults, writeResults } from './live/keep-results.ts';

/**
 * Checks the built-in provider files, and those of a directory given as argument, as the start of the gateway would:
 * `node scripts/check-providers.ts [--allow-private-networks] [directory]`. With `--dry-run <file>` only that file is
 * checked, and every request that its provider would be sent is shown. With `--live <ids>` (with commas between, or `all`,
 * of which `--part 3/7` takes a seventh) public addresses of these providers are asked whether the facts still hold;
 * `--json` reports as JSON. Exit code 1 when there is a fault, or a fact that no longer holds; with `--results <file>` the
 * answers are kept there instead, what differed is asked again, and `--reports <file>` takes what differed three days in a row.
 */
const USAGE = `Checks the built-in provider files, and those of a directory (docs/provider-files.md).

  npm run check:providers -- [<directory>] [--allow-private-networks]
  npm run check:providers -- --dry-run <file> [--allow-private-networks]
  npm run check:providers -- --live <id>,<id>|all [--part 3/7] [--json] [--results <file>] [--reports <file>]`;
const { values, positionals } = readArguments();
const options = { allowPrivateNetworks: values['allow-private-networks'] };
/** At most so many requests run side by side, to different hosts, and a host rests between two. */
const LIVE_LIMITS = { timeoutMs: 10_000, pauseMs: 1_000, concurrency: 4 };
const PUBLIC_URL = 'https://gateway.example';
const file = values['dry-run'];

try {
  console.log(await answer());
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function answer(): Promise<string> {
  if (values.help) return USAGE;
  if (values.live !== undefined) return askLive(values.live);
  if (file === undefined) return checkAll();
  return describe(await dryRun(loadProviderFile(file, options), PUBLIC_URL));
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        'allow-private-networks': { type: 'boolean', default: false },
        'dry-run': { type: 'string' },
        live: { type: 'string' },
        part: { type: 'string' },
        json: { type: 'boolean', default: false },
        results: { type: 'string' },
        reports: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(1);
  }
}

function loadAll() {
  return loadCatalog({
    builtInDirectory: join(import.meta.dirname, '../src/catalog/providers'),
    extraDirectory: positionals[0],
    isStrict: true,
    ...options,
  });
}

async function askLive(ids: string): Promise<string> {
  const catalog = loadAll();
  const kept = values.results === undefined ? [] : readKept(values.results);
  const part = ids === 'all' ? partOf(catalog.ids(), values.part) : ids.split(',');
  const unknown = part.filter((id) => catalog.find(id) === undefined);
  if (unknown.length > 0) throw new StartError(`The catalog has no ${unknown.join(', ')}.`);
  const wanted = [...new Set([...part, ...listDiffering(kept)])];
  const providers = wanted.flatMap((id) => catalog.find(id) ?? []);
  const checks = await checkLive(providers, LIVE_LIMITS, listDocuments(wanted));
  if (values.results !== undefined) keep(values.results, kept, checks);
  else if (checks.some(({ outcome }) => outcome === 'differs')) process.exitCode = 1;
  return values.json ? JSON.stringify({ checks }, null, 2) : liveReport(checks);

  function keep(path: string, before: ReturnType<typeof readResults>, answers: readonly LiveCheck[]): void {
    const known = before.filter(({ provider }) => catalog.find(provider) !== undefined);
    const results = keepResults(known, answers, new Date().toISOString().slice(0, 10));
    writeFileSync(path, writeResults(results));
    const vendorOf = (id: string) => findDomain(normalizeAddress(catalog.find(id)?.apiBaseUrl ?? id).host);
    if (values.reports !== undefined)
      writeFileSync(values.reports, JSON.stringify(listReports(results, vendorOf)));
  }
}

function readKept(path: string) {
  return existsSync(path) ? readResults(readFileSync(path, 'utf8')) : [];
}

/** The OpenAPI documents that the files name among their sources. */
function listDocuments(ids: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    ids.flatMap((id) => {
      const path = join(import.meta.dirname, '../src/catalog/providers', `${id}.yaml`);
      const parsed = existsSync(path) ? parseProviderFile(parse(readFileSync(path, 'utf8'))) : undefined;
      const sources = parsed?.ok ? listSources(parsed.file) : [];
      const document = sources.find(({ by, from }) => by === 'vendor' && /\.(json|ya?ml)$/.test(from));
      return document === undefined ? [] : [[id, document.from] as const];
    }),
  );
}

/** `3/7`: every seventh id from the third on. */
function partOf(ids: readonly string[], part = '1/1'): readonly string[] {
  const [, number, count] = /^([1-9]\d?)\/([1-9]\d?)$/.exec(part) ?? [];
  if (number === undefined || Number(number) > Number(count)) {
    throw new StartError('--part takes a number and how many parts there are: 3/7');
  }
  return ids.filter((_id, index) => index % Number(count) === Number(number) - 1);
}

function checkAll(): string {
  const catalog = loadAll();
  const providers = catalog.list();
  const grants = providers.flatMap((provider) => provider.grants).length;
  return `${providers.length} providers and ${grants} further grants, no faults`;
}

/** Each request as it would look on the wire, one after the other. */
function describe({ requests, notes }: DryRun): string {
  const named = Object.entries(requests).flatMap(([name, made]) =>
    [made].flat().map((request) => [name, request] as const),
  );
  const shown = named.flatMap(([name, request]) => {
    if (request === null) return [];
    const fields = Object.entries(request.headers).map(([field, value]) => `${field}: ${value}`);
    const body = request.body === null ? [] : ['', request.body];
    return [[`# ${name}`, `${request.method} ${request.url}`, ...fields, ...body].join('\n')];
  });
  return [...shown, ...notes.map((note) => `# note\n${note}`)].join('\n\n');
}
