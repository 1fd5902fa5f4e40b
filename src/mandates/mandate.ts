import type { MandateEntry } from './mandate.schema.ts';
import { findMethodOverride, mayHoldOverride } from './overrides.ts';
import { compilePattern, foldPath, matchesPath, normalizePath, type PathPattern } from './paths.ts';

/** What a provider file says of its paths beyond what methods say. */
export type AccessFacts = {
  /** POSTs that only read, such as searches. */
  readonly reads?: readonly string[] | undefined;
  /** GETs that change something. */
  readonly writes?: readonly string[] | undefined;
  /** Requests that carry others inside. */
  readonly batch?: readonly string[] | undefined;
};

/** A call, as far as a mandate looks at it. */
export type MandatedCall = {
  readonly provider: string;
  readonly connectionId: string;
  /** Name of a further API host; undefined: the API base. */
  readonly host: string | undefined;
  readonly method: string;
  readonly rawPath: string;
  readonly rawQuery: string;
  readonly rawHeaders: readonly string[];
  readonly hasBody: boolean;
  readonly facts: AccessFacts | undefined;
};

export type MandateDecision =
  /** `entry` is the index of the entry that allows the call, `approval` what a person has to say first. */
  | { readonly isAllowed: true; readonly entry: number; readonly approval: MandateEntry['approval'] }
  /** `reason` completes "refused: …", in the words of this table alone. */
  | { readonly isAllowed: false; readonly reason: string };

type CompiledEntry = {
  readonly provider: string;
  readonly connectionId: string | undefined;
  readonly hosts: readonly string[] | undefined;
  readonly isWrite: boolean;
  readonly methods: readonly string[] | undefined;
  readonly paths: readonly PathPattern[] | undefined;
  /** Paths that are named in full, folded: the only way to a batch path. */
  readonly fullPaths: ReadonlySet<string>;
  readonly approval: MandateEntry['approval'];
};

/** What the token of a user says that it may do. `fault` says why its claim cannot be understood. */
export type UserMandate =
  | { readonly fault: string }
  | { readonly fault: undefined; readonly mandate: Mandate; readonly limits: readonly HourlyLimit[] };

/** Calls an hour that an entry allows; `key` stands for the entry, whichever token brings it. */
export type HourlyLimit = { readonly perHour: number | undefined; readonly key: string };

export type Mandate = { decide(call: MandatedCall): MandateDecision };

/**
 * The rule of one token (docs/mandates.md). Entries only allow: what none allows is refused, and of those that allow a call
 * the one that asks for the least counts: no approval before `once`, `once` before `each`. Nothing here waits or
 * looks anything up, so that every door can ask before it sends.
 */
export function compileMandate(entries: readonly MandateEntry[]): Mandate {
  const compiled = entries.map(compileEntry);
  return {
    decide(call) {
      const override = findMethodOverride(call.rawHeaders, call.rawQuery);
      if (override !== undefined) return refuse(`${override} may name another method`);
      const request = readRequest(call);
      let reason = `no entry is for ${call.provider}`;
      let asking: Allowing | undefined;
      for (const [index, entry] of compiled.entries()) {
        if (entry.provider !== call.provider) continue;
        const { approval } = entry;
        const refusal = findRefusal(entry, call, request);
        if (refusal !== undefined) reason = refusal;
        else if (approval === 'none') return { isAllowed: true, entry: index, approval };
        else if (asking === undefined || approval === 'once')
          asking = asking?.approval === 'once' ? asking : { isAllowed: true, entry: index, approval };
      }
      return asking ?? refuse(reason);
    },
  };
}

type Allowing = Extract<MandateDecision, { isAllowed: true }>;

function refuse(reason: string): MandateDecision {
  return { isAllowed: false, reason };
}

type Request = {
  readonly path: string;
  readonly folded: string;
  readonly isRead: boolean;
  readonly isBatch: boolean;
};

function readRequest({ method, rawPath, rawHeaders, hasBody, facts }: MandatedCall): Request {
  const path = normalizePath(rawPath);
  const folded = foldPath(path);
  return {
    path,
    folded,
    isRead: isReadCall({ method, path, folded, rawHeaders, hasBody }, facts),
    isBatch: matchesAny(foldedPatternsFor(facts?.batch), folded),
  };
}

function isReadCall(
  call: {
    readonly method: string;
    readonly path: string;
    readonly folded: string;
    readonly rawHeaders: readonly string[];
    readonly hasBody: boolean;
  },
  facts: AccessFacts | undefined,
): boolean {
  if (call.method === 'GET' || call.method === 'HEAD')
    return !matchesAny(foldedPatternsFor(facts?.writes), call.folded);
  if (call.method !== 'POST' || !matchesAny(patternsFor(facts?.reads), call.path)) return false;
  return !call.hasBody || !mayHoldOverride(listValues(call.rawHeaders, 'content-type'));
}

function findRefusal(entry: CompiledEntry, call: MandatedCall, request: Request): string | undefined {
  if (entry.connectionId !== undefined && entry.connectionId !== call.connectionId)
    return 'the mandate names another connection';
  if (entry.hosts !== undefined && !entry.hosts.includes(call.host ?? 'api'))
    return 'the mandate does not name this host';
  if (entry.methods !== undefined && !entry.methods.includes(call.method))
    return 'the mandate does not name this method';
  if (entry.paths !== undefined && !matchesAny(entry.paths, request.path))
    return 'the mandate does not name this path';
  if (request.isBatch && !entry.fullPaths.has(request.folded))
    return 'a batch carries other requests inside, and the mandate does not name its path in full';
  if (!entry.isWrite && !request.isRead) return 'the mandate allows reading alone';
  return undefined;
}

function compileEntry(entry: MandateEntry): CompiledEntry {
  return {
    provider: entry.provider,
    connectionId: entry.connectionId?.toLowerCase(),
    hosts: entry.hosts,
    isWrite: entry.access === 'write',
    methods: entry.methods,
    paths: entry.paths?.map(compilePattern),
    fullPaths: new Set(entry.paths?.filter((path) => !path.includes('*')).map(foldPattern)),
    approval: entry.approval,
  };
}

function foldPattern(path: string): string {
  return foldPath(normalizePath(path));
}

const exact = new WeakMap<readonly string[], readonly PathPattern[]>();
const folded = new WeakMap<readonly string[], readonly PathPattern[]>();
const NONE: readonly PathPattern[] = [];

/** The lists are the catalog's own arrays: each is compiled once. */
function patternsFor(list: readonly string[] | undefined): readonly PathPattern[] {
  return list === undefined ? NONE : remember(exact, list, compilePattern);
}

function foldedPatternsFor(list: readonly string[] | undefined): readonly PathPattern[] {
  return list === undefined ? NONE : remember(folded, list, compileFolded);
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

function matchesAny(patterns: readonly PathPattern[], path: string): boolean {
  return patterns.some((pattern) => matchesPath(pattern, path));
}

function listValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.flatMap((value, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name ? [value] : [],
  );
}
