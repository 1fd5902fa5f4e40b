import {
  ENTRIES_LENGTH_MAX,
  ENTRIES_MAX,
  ENTRY_PATHS_MAX,
  type Entry,
  METHODS,
  type Method,
} from './mandate.ts';

/** A call as the log keeps it: a path without its query, in which what looked like a secret is cut. */
export type LoggedCall = { readonly provider: string; readonly method: string; readonly path: string };

/** Calls that differ in nothing but ids. */
export type FoldedCall = {
  readonly provider: string;
  readonly method: Method;
  /** With `*` in the place of each id. */
  readonly pattern: string;
  /** One of the calls' own paths. */
  readonly example: string;
  readonly calls: number;
};

export type Folded = {
  /** In the order of their names. */
  readonly folded: readonly FoldedCall[];
  /** Calls that no mandate can name: other methods, cut paths, an asterisk in the path. */
  readonly leftOut: number;
};

/** The log cuts longer paths, of which the rest is not known. */
const LOGGED_LENGTH_MAX = 300;

/** Folds calls to the few patterns that allow these and, but for ids, no others. */
export function foldCalls(calls: readonly LoggedCall[]): Folded {
  const found = new Map<string, FoldedCall>();
  let leftOut = 0;
  for (const { provider, method: name, path } of calls) {
    const method = METHODS.find((known) => known === name);
    const pattern = method && foldPath(path);
    if (method === undefined || pattern === undefined) {
      leftOut += 1;
      continue;
    }
    const key = `${provider} ${method} ${pattern}`;
    const known = found.get(key);
    const example = known?.example ?? (path === '' ? '/' : path);
    found.set(key, { provider, method, pattern, example, calls: (known?.calls ?? 0) + 1 });
  }
  const keyOf = ({ provider, pattern, method }: FoldedCall) => `${provider} ${pattern} ${method}`;
  return { folded: [...found.values()].sort((a, b) => compare(keyOf(a), keyOf(b))), leftOut };
}

/** The path with `*` for each segment that is an id, or that the log has cut; undefined where a mandate cannot name it. */
export function foldPath(path: string): string | undefined {
  if (path === '') return '/';
  if (path.length > LOGGED_LENGTH_MAX || path === '/…' || !path.startsWith('/') || path.includes('*'))
    return undefined;
  const segments = path.split('/').slice(1);
  const folded = segments.map((segment, index) =>
    segment.includes('…') || isId(segment, segments[index - 1]) ? '*' : segment,
  );
  const pattern = `/${folded.join('/')}`;
  return /^[\x21-\x7e]+$/.test(pattern) && !/[?#]/.test(pattern) ? pattern : undefined;
}

const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
/** `v3`, `v59.0`, `v1beta2`. */
const VERSION = /^v\d[\d._]*(?:(?:alpha|beta|rc|p\d)\w*)?$/i;
/** `2`, `3.0`, `2024-10`, in a place where APIs have their version. */
const BARE_VERSION = /^(?:\d{1,2}(?:\.\d{1,2})*|20\d\d-\d\d(?:-\d\d)?)$/;
const BEFORE_VERSION: ReadonlySet<string | undefined> = new Set([
  undefined,
  'api',
  'rest',
  'data',
  'services',
]);
const EMAIL = /^[^@/]+@[^@/.][^@/]*$/;
/** `PROJ-123`. */
const ISSUE_KEY = /^[A-Z][A-Z0-9]*-\d+$/;
/** `cus_NffrFeUfNV2Hib`. */
const PREFIXED = /^[a-z]{2,8}[_-]([A-Za-z0-9]{6,})$/;
const OPAQUE = /^[\w=+.~-]{8,}$/;

/** Whether a segment of a path stands for one thing among many of its kind. `before` is the segment before it. */
function isId(segment: string, before: string | undefined): boolean {
  const text = decode(segment).replace(/\.(?:json|xml)$/, '');
  if (!/\d/.test(text)) return EMAIL.test(text);
  if (VERSION.test(text) || (BEFORE_VERSION.has(before) && BARE_VERSION.test(text))) return false;
  if (/^\d+$/.test(text) || /^20\d\d-\d\d-\d\d/.test(text)) return true;
  if (UUID.test(text) || EMAIL.test(text) || ISSUE_KEY.test(text)) return true;
  const rest = PREFIXED.exec(text)?.[1];
  if (rest !== undefined && looksMade(rest)) return true;
  return OPAQUE.test(text) && !isWords(text) && looksMade(text);
}

/** Of letters and digits as programs make them, not people: several digits, or a digit among letters of both cases. */
function looksMade(text: string): boolean {
  const digits = text.match(/\d/g)?.length ?? 0;
  return digits >= 2 || (digits === 1 && /[a-z]/.test(text) && /[A-Z]/.test(text) && text.length >= 12);
}

/** Words with a number at the end of one, such as `oauth2-tokens` or `level10_reports`. */
function isWords(text: string): boolean {
  return text.split(/[._-]/).every((word) => /^(?:[a-z]+\d{0,2}|[A-Z]?[a-z]+|\d{1,2})$/.test(word));
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * The smallest mandate that allows these calls: for each provider, one entry that reads and one that changes for each set of
 * methods, with the patterns that were called by these. Undefined where one mandate does not hold so many.
 */
export function buildEntries(
  folded: readonly FoldedCall[],
  isReading: (call: FoldedCall) => boolean,
): Entry[] | undefined {
  const methodsOf = new Map<string, { of: FoldedCall; access: Entry['access']; methods: Set<Method> }>();
  for (const call of folded) {
    const access = isReading(call) ? 'read' : 'write';
    const key = `${call.provider} ${access} ${call.pattern}`;
    const known = methodsOf.get(key) ?? { of: call, access, methods: new Set<Method>() };
    known.methods.add(call.method);
    methodsOf.set(key, known);
  }
  const groups = new Map<string, Entry & { paths: string[] }>();
  for (const { of, access, methods } of methodsOf.values()) {
    const used = METHODS.filter((method) => methods.has(method));
    const key = `${of.provider} ${access} ${used.join()}`;
    const group = groups.get(key) ?? emptyGroup(of.provider, access, used);
    group.paths.push(of.pattern);
    groups.set(key, group);
  }
  const entries = [...groups].sort(([a], [b]) => compare(a, b)).flatMap(([, entry]) => split(entry));
  const isTooLarge = entries.length > ENTRIES_MAX || JSON.stringify(entries).length > ENTRIES_LENGTH_MAX;
  return isTooLarge ? undefined : entries;
}

function emptyGroup(provider: string, access: Entry['access'], methods: Method[]) {
  const entry: Entry & { paths: string[] } = {
    type: 'gateway_access',
    provider,
    access,
    methods,
    paths: [],
    approval: 'none',
  };
  return entry;
}

function split(entry: Entry & { readonly paths: readonly string[] }): Entry[] {
  const count = Math.ceil(entry.paths.length / ENTRY_PATHS_MAX);
  return Array.from({ length: count }, (_, index) => ({
    ...entry,
    paths: entry.paths.slice(index * ENTRY_PATHS_MAX, (index + 1) * ENTRY_PATHS_MAX),
  }));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
