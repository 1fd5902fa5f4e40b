import { compilePattern, foldPath, matchesPath, normalizePath, type PathPattern } from './paths.ts';

const exact = new WeakMap<readonly string[], readonly PathPattern[]>();
const folded = new WeakMap<readonly string[], readonly PathPattern[]>();
const NONE: readonly PathPattern[] = [];

/** The lists are the catalog's own arrays: each is compiled once. */
export function patternsFor(list: readonly string[] | undefined): readonly PathPattern[] {
  return list === undefined ? NONE : remember(exact, list, compilePattern);
}

/** The same for a list that refuses, to be compared with a folded path. */
export function foldedPatternsFor(list: readonly string[] | undefined): readonly PathPattern[] {
  return list === undefined ? NONE : remember(folded, list, compileFolded);
}

export function matchesAny(patterns: readonly PathPattern[], path: string): boolean {
  for (const pattern of patterns) if (matchesPath(pattern, path)) return true;
  return false;
}

/** A path without asterisks, as every spelling of it is folded. */
export function foldPattern(path: string): string {
  return foldPath(normalizePath(path));
}

function compileFolded(pattern: string): PathPattern {
  const isOpen = pattern.endsWith('/**');
  const { segments } = compilePattern(foldPattern(isOpen ? pattern.slice(0, -3) : pattern));
  return { segments, isOpen };
}

function remember(
  known: WeakMap<readonly string[], readonly PathPattern[]>,
  list: readonly string[],
  compile: (pattern: string) => PathPattern,
): readonly PathPattern[] {
  const found = known.get(list);
  if (found) return found;
  const compiled = list.map(compile);
  known.set(list, compiled);
  return compiled;
}

export type CompiledPaths = {
  /** Undefined: every path. */
  readonly patterns: readonly PathPattern[] | undefined;
  /** Paths that are named in full, folded: the only way to a batch path. */
  readonly fullPaths: ReadonlySet<string>;
};

/** The paths of an entry, to be compared with many calls or entries. */
export function compilePaths(paths: readonly string[] | undefined): CompiledPaths {
  const fullPaths = paths?.filter((path) => !path.includes('*')).map(foldPattern);
  return { patterns: paths?.map(compilePattern), fullPaths: new Set(fullPaths) };
}
