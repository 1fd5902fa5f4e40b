import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { StartError } from '../../lib/start-error.ts';
import type { Provider } from '../schema/provider.schema.ts';
import { builtInProviders, type LazyProvider } from './builtin-providers.ts';
import { type ProviderOptions, providerFromFile } from './provider-from-file.ts';

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);
/** No entry comes near; together with the alias bound it keeps a "billion laughs" file from filling the memory. */
export const FILE_BYTES_MAX = 256 * 1024;
const ALIASES_MAX = 50;
const KEY_LENGTH_MAX = 100;
/** Providers that are made without a pause: some milliseconds. */
const SLICE = 50;

export type Catalog = {
  /** The provider with this short name (the one in proxy paths). */
  find(id: string): Provider | undefined;
  /** Ids of all providers, sorted. */
  ids(): readonly string[];
  /** All providers, sorted by id, made in slices so that other requests come in between. */
  all(): Promise<readonly Provider[]>;
  /** Those that there are of these ids, made in the same way. */
  findAll(ids: readonly string[]): Promise<readonly Provider[]>;
  /** The same at once, which may take a tenth of a second: for tools and tests. */
  list(): readonly Provider[];
};

/** One fault of one file. `path` is the field, dotted; `line` counts from 1. */
export type CatalogFault = {
  readonly file: string;
  readonly line?: number;
  readonly path: string;
  readonly reason: string;
};

/** The catalog cannot be loaded. The message lists every fault of every file. */
export class CatalogError extends StartError {
  override readonly name = 'CatalogError';
  readonly faults: readonly CatalogFault[];

  constructor(faults: readonly CatalogFault[]) {
    super(`The catalog has faults:\n  ${faults.map(sentenceOf).join('\n  ')}`);
    this.faults = faults;
  }
}

function sentenceOf({ file, line, path, reason }: CatalogFault): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return path === '' ? `${place}: ${reason}` : `${place}: ${path}: ${reason}`;
}

/**
 * The built-in providers, those of a newer package of the catalog, and those of the extra directory's files; later ones take
 * the place of earlier ones with the same id. With a built-in directory, its files are read instead of the bundle that was
 * made of them. Throws CatalogError.
 */
export function loadCatalog(options: {
  readonly builtInDirectory?: string | undefined;
  readonly taken?: readonly LazyProvider[] | undefined;
  readonly extraDirectory?: string | undefined;
  readonly allowPrivateNetworks: boolean;
  /** Also judges the files of the extra directory as new ones: what loads and has no effect is a fault. */
  readonly isStrict?: boolean;
}): Catalog {
  const { builtInDirectory, taken = [], extraDirectory } = options;
  const faults: CatalogFault[] = [];
  const builtIn =
    builtInDirectory === undefined
      ? builtInProviders(options)
      : readDirectory(builtInDirectory, { ...options, isProofNeeded: true }, faults);
  const extra =
    extraDirectory === undefined
      ? []
      : readDirectory(extraDirectory, { ...options, isProofNeeded: options.isStrict ?? false }, faults);
  if (faults.length > 0) throw new CatalogError(faults);
  return createCatalog([...builtIn, ...taken, ...extra]);
}

/** One provider file by itself. Throws CatalogError. */
export function loadProviderFile(file: string, options: ProviderOptions): Provider {
  const faults: CatalogFault[] = [];
  const provider = readProvider(file, options, faults);
  if (provider === undefined) throw new CatalogError(faults);
  return provider;
}

/** A catalog of entries that are already loaded; a later one takes the place of an earlier one with its id. */
export function createCatalog(providers: readonly (Provider | LazyProvider)[]): Catalog {
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  const ids = [...byId.keys()].sort();
  let all: Promise<readonly Provider[]> | undefined;
  const find = (id: string) => {
    const found = byId.get(id);
    return found && 'provider' in found ? found.provider : found;
  };
  const list = () => ids.flatMap((id) => find(id) ?? []);

  async function findAll(wanted: readonly string[]): Promise<readonly Provider[]> {
    const found: Provider[] = [];
    for (const [index, id] of wanted.entries()) {
      const provider = find(id);
      if (provider !== undefined) found.push(provider);
      if (index % SLICE === SLICE - 1) await setImmediate();
    }
    return found;
  }

  return {
    find,
    list,
    ids: () => ids,
    all() {
      all ??= findAll(ids);
      return all;
    },
    findAll,
  };
}

function readDirectory(directory: string, options: ProviderOptions, faults: CatalogFault[]): Provider[] {
  const found: Provider[] = [];
  const fileOf = new Map<string, string>();
  for (const name of namesIn(directory, faults)) {
    const file = join(directory, name);
    const provider = readProvider(file, options, faults);
    if (provider === undefined) continue;
    const other = fileOf.get(provider.id);
    if (other !== undefined)
      faults.push({ file, path: 'id', reason: `${provider.id} is the id of ${other} as well` });
    found.push(provider);
    fileOf.set(provider.id, file);
  }
  return found;
}

/** File names in order. Names that start with a dot are skipped: editors and mounted volumes keep copies there. */
function namesIn(directory: string, faults: CatalogFault[]): string[] {
  try {
    const names = readdirSync(directory).filter(
      (name) => EXTENSIONS.has(extname(name)) && !name.startsWith('.'),
    );
    return names.sort();
  } catch (error) {
    faults.push({ file: directory, path: '', reason: `the directory cannot be read (${codeOf(error)})` });
    return [];
  }
}

function codeOf(error: unknown): string {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode ? String(error.code) : 'unknown error';
}

function readProvider(file: string, options: ProviderOptions, faults: CatalogFault[]): Provider | undefined {
  const text = readText(file, faults);
  return text === undefined ? undefined : readProviderText(file, text, options, faults)?.provider;
}

/** The provider that the text of a file describes, and what it says as YAML has it; or its faults, added to `faults`. */
export function readProviderText(
  file: string,
  text: string,
  options: ProviderOptions,
  faults: CatalogFault[],
): { readonly provider: Provider; readonly content: unknown } | undefined {
  const document = parseYaml(text);
  if (!document.ok) {
    faults.push(...document.faults.map((fault) => ({ file, path: '', ...fault })));
    return undefined;
  }
  const loaded = providerFromFile(document.content, options);
  if (loaded.ok) return { provider: loaded.provider, content: document.content };
  for (const { path, reason } of loaded.faults) {
    const line = document.lineOf(path);
    faults.push({ file, ...(line !== undefined && { line }), path: path.map(String).join('.'), reason });
  }
  return undefined;
}

function readText(file: string, faults: CatalogFault[]): string | undefined {
  try {
    const bytes = readFileSync(file);
    if (bytes.length <= FILE_BYTES_MAX) return bytes.toString('utf8');
    faults.push({ file, path: '', reason: `is larger than ${FILE_BYTES_MAX} bytes` });
  } catch (error) {
    faults.push({ file, path: '', reason: `cannot be read (${codeOf(error)})` });
  }
  return undefined;
}

type ParsedYaml =
  | {
      readonly ok: true;
      readonly content: unknown;
      /** Line of the field, or of the nearest field around it that is there. */
      lineOf(path: readonly PropertyKey[]): number | undefined;
    }
  | { readonly ok: false; readonly faults: readonly { line?: number; reason: string }[] };

/** YAML 1.2, and so JSON. Aliases are counted, keys must be unique, custom tags are refused. */
function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) {
    return {
      ok: false,
      faults: problems.map((problem) => ({
        line: lines.linePos(problem.pos[0]).line,
        reason:
          problem.code === 'DUPLICATE_KEY'
            ? `${keyAt(text, problem.pos[0])} is there twice`
            : problem.message,
      })),
    };
  }
  try {
    const content: unknown = document.toJS({ maxAliasCount: ALIASES_MAX });
    return { ok: true, content, lineOf: (path) => lineOf(document, lines, path) };
  } catch (error) {
    return { ok: false, faults: [{ reason: error instanceof Error ? error.message : 'cannot be read' }] };
  }
}

/** The key that begins there. */
function keyAt(text: string, start: number): string {
  return text.slice(start, start + KEY_LENGTH_MAX).split(/[:\n]/, 1)[0] ?? '';
}

function lineOf(
  document: ReturnType<typeof parseDocument>,
  lines: LineCounter,
  path: readonly PropertyKey[],
): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}
