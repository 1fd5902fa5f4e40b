import { isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from 'yaml';

/** Where something stands in a text, counted from 1. */
export type Place = { readonly line: number; readonly column: number };
export type YamlFault = Partial<Place> & { readonly message: string };

export type ReadDocument =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Where each value begins, by its path: steps joined by dots, in the order of the file. */
      readonly places: ReadonlyMap<string, Place>;
    }
  | { readonly ok: false; readonly faults: readonly YamlFault[] };

/** So many uses of anchors in one document: each could be as large as the document. */
const ALIASES_MAX = 100;
/** As many as a request's JSON may have; with what aliases repeat. */
const VALUES_MAX = 10_000;
const DEPTH_MAX = 40;
/** Of the names on the way to a value: each value has its path, and faults repeat it. */
const PATH_LENGTH_MAX = 1_000;
const FAULTS_MAX = 20;

/**
 * Reads one YAML 1.2 document (JSON is one). Its time grows with the text, so that it runs in a thread: the parser takes
 * three milliseconds for a kilobyte.
 */
export function readYamlDocument(text: string): ReadDocument {
  const lines = new LineCounter();
  // The parser compares each key of a map with every other one; `findRepeatedKeys` looks each up once.
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    stringKeys: true,
    // Faults have sentences of their own, and there can be as many as characters.
    prettyErrors: false,
  });
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.length > 0) {
    const faults = document.errors.slice(0, FAULTS_MAX).map(({ pos, code }) => ({
      ...placeOf(pos[0]),
      // The parser's own sentence quotes the file, which may hold what should not be there.
      message: `Not valid YAML (${code})`,
    }));
    return { ok: false, faults };
  }
  const walk = walkNodes(document.contents, placeOf);
  if (walk.faults.length > 0) return { ok: false, faults: walk.faults };
  try {
    const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX });
    const fault = findExcess(value);
    return fault === undefined
      ? { ok: true, value, places: walk.places }
      : { ok: false, faults: [{ message: fault }] };
  } catch {
    // The one thing that it throws for in a document without errors.
    return {
      ok: false,
      faults: [{ message: `More than ${ALIASES_MAX} uses of anchors, or a circle of them` }],
    };
  }
}

/** Where the nodes stand, and keys that stand twice in one map. Iterative: the parser bounds the depth, not we. */
function walkNodes(root: ParsedNode | null, placeOf: (offset: number) => Place) {
  const places = new Map<string, Place>();
  const faults: YamlFault[] = [];
  const open: { readonly node: ParsedNode; readonly path: string; readonly depth: number }[] = [];
  if (root !== null) open.push({ node: root, path: '', depth: 0 });
  for (let at = open.pop(); at !== undefined && faults.length < FAULTS_MAX; at = open.pop()) {
    const { node, path, depth } = at;
    const place = placeOf(node.range[0]);
    if (depth > DEPTH_MAX) faults.push({ ...place, message: `Nested deeper than ${DEPTH_MAX}` });
    if (places.size > VALUES_MAX) faults.push({ ...place, message: `More than ${VALUES_MAX} values` });
    if (path.length > PATH_LENGTH_MAX) {
      faults.push({ ...place, message: LONG_NAMES });
      continue;
    }
    places.set(path, place);
    const below = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`);
    if (isSeq<ParsedNode>(node))
      for (const [index, item] of node.items.entries())
        open.push({ node: item, path: below(index), depth: depth + 1 });
    if (!isMap<ParsedNode, ParsedNode | null>(node)) continue;
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (seen.has(name))
        faults.push({ ...placeOf(key.range[0]), message: 'The key stands twice in one map' });
      seen.add(name);
      if (value !== null) open.push({ node: value, path: below(name), depth: depth + 1 });
    }
  }
  return { places, faults };
}

const LONG_NAMES = `Names of more than ${PATH_LENGTH_MAX} characters, those that stand around them included`;

/**
 * What makes a file more than it seems: aliases repeat what they name, and a long name stands in the path of each value within.
 * Files that came as objects are judged by it too.
 */
export function findExcess(root: unknown): string | undefined {
  const open = [{ value: root, depth: 0, length: 0 }];
  let left = VALUES_MAX;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at.value !== 'object' || at.value === null) continue;
    if (at.depth > DEPTH_MAX) return `Nested deeper than ${DEPTH_MAX}`;
    const members = Object.entries(at.value);
    left -= members.length;
    if (left < 0) return `More than ${VALUES_MAX} values`;
    for (const [name, value] of members) {
      const length = at.length + name.length + 1;
      if (length > PATH_LENGTH_MAX) return LONG_NAMES;
      open.push({ value, depth: at.depth + 1, length });
    }
  }
  return undefined;
}
