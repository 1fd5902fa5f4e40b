import { apiCompare, type Diff } from 'api-smart-diff';

type Json = { readonly [name: string]: unknown };

/** What only people read: no client breaks by it. */
const WORDS: ReadonlySet<string> = new Set(['description', 'summary', 'example', 'examples', 'title']);
const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'patch', 'put', 'delete']);

/** Paths, operations, parameters, bodies and their schemas: what clients depend on, without the words. */
export function readContract(document: Json): Json {
  const { openapi, info, paths, components } = document;
  const { version } = Object(info);
  return withoutWords({ openapi, info: { title: 'contract', version }, paths, components }) as Json;
}

/**
 * What a client of the `released` contract would notice in the `current` one, one line each. Additions are none: clients
 * are to leave members and values of enums alone that they do not know (docs/stability.md).
 */
export function listBreakingChanges(released: Json, current: Json): string[] {
  const lines: string[] = [];
  for (const [path, method] of listOperations(released)) {
    const [before, after] = [released, current].map((contract) => pickOperation(contract, path, method));
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    const { diffs } = apiCompare(before, after);
    for (const diff of diffs.filter(isBreaking)) lines.push(describe(diff));
  }
  return [...new Set(lines)];
}

function listOperations(contract: Json): [string, string][] {
  return Object.entries(asObject(contract.paths)).flatMap(([path, item]) =>
    Object.keys(asObject(item)).flatMap((method): [string, string][] =>
      METHODS.has(method) ? [[path, method]] : [],
    ),
  );
}

/** A document of this operation alone, with the schemas that it reaches: comparing whole documents takes half a minute. */
function pickOperation(contract: Json, path: string, method: string): Json {
  const operation = asObject(asObject(contract.paths)[path])[method];
  const all = asObject(asObject(contract.components).schemas);
  const schemas: Record<string, unknown> = {};
  const waiting: unknown[] = [operation];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, name = ''] of JSON.stringify(next).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      if (!(name in schemas)) {
        schemas[name] = all[name];
        waiting.push(all[name]);
      }
  }
  return {
    openapi: contract.openapi,
    info: contract.info,
    paths: operation === undefined ? {} : { [path]: { [method]: operation } },
    components: { schemas },
  };
}

/**
 * The library's verdict, but for three: it lets a request lose a member (ours refuse those they do not know) and a type
 * become another one, and it holds a new value of an answer's enum for breaking.
 */
function isBreaking({ type, action, path }: Diff): boolean {
  const [, , , part] = path;
  const [parent, name] = [path.at(-2), path.at(-1)];
  if (parent === 'security' || path.includes('security')) return false;
  if (path[0] === 'components') return false;
  if (part === 'requestBody' && action === 'remove' && parent === 'properties') return true;
  if (name === 'type' && action === 'replace') return true;
  if (part === 'responses' && parent === 'enum' && action === 'add') return false;
  return type === 'breaking';
}

function describe({ action, path, before, after }: Diff): string {
  const value = (part: unknown) => (JSON.stringify(part) ?? 'nothing').slice(0, 120);
  return `${path.join(' ')}: ${action}, ${value(before)} -> ${value(after)}`;
}

function withoutWords(value: unknown, parent?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => parent === 'properties' || !WORDS.has(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutWords(member, name)]));
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
