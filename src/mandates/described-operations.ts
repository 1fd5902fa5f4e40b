import type { AccessFacts } from './call.ts';
import type { MandateEntry } from './mandate.schema.ts';
import { mayMatch, type PathTemplate, readTemplate } from './path-templates.ts';
import { compilePattern, foldPath, normalizePath, type PathPattern } from './paths.ts';
import { foldedPatternsFor, matchesAny, patternsFor } from './patterns.ts';
import type { MandatePart, UserMandate } from './user-mandate.ts';

/** An operation of an API as its vendor describes it, at the API base. */
export type DescribedOperation = { readonly method: string; readonly path: string };

type Place = {
  readonly provider: string;
  /** What the provider's file says of its API base. */
  readonly facts: AccessFacts | undefined;
  /** Connections that a call may go by. */
  readonly connectionIds: readonly string[];
};

type Rule = {
  readonly connectionId: string | undefined;
  readonly isWrite: boolean;
  readonly methods: readonly string[] | undefined;
  readonly paths: readonly PathPattern[] | undefined;
  /** Paths without asterisks, the only way to a batch path. */
  readonly fullPaths: readonly PathPattern[];
};

const READING: Rule = {
  connectionId: undefined,
  isWrite: false,
  methods: undefined,
  paths: undefined,
  fullPaths: [],
};

/**
 * Whether some call of an operation may be allowed, by the rule of `compileMandate`, as far as a description tells: parameters
 * and bodies are not known, and what depends on them counts as allowed.
 */
export function createOperationJudge(
  mandate: UserMandate,
  { provider, facts, connectionIds }: Place,
): (operation: DescribedOperation) => boolean {
  const parts = mandate.parts.map((part) => rulesFor(part, provider));
  return ({ method, path }) => {
    const reading = new Reading(method, path, facts);
    const open = parts.map((rules) => rules.filter((rule) => mayAllow(rule, reading)));
    return connectionIds.some((id) =>
      open.every((rules) => rules.some(({ connectionId = id }) => connectionId === id)),
    );
  };
}

const known = new WeakMap<MandatePart, Map<string, readonly Rule[]>>();

function rulesFor(part: MandatePart, provider: string): readonly Rule[] {
  if (part.isOfAnyProvider) return [READING];
  const ofPart = known.get(part) ?? new Map<string, readonly Rule[]>();
  known.set(part, ofPart);
  const found = ofPart.get(provider);
  if (found !== undefined) return found;
  const rules = part.entries
    .filter((entry) => entry.provider === provider && (entry.hosts?.includes('api') ?? true))
    .map(compileRule);
  ofPart.set(provider, rules);
  return rules;
}

function compileRule({ connectionId, access, methods, paths }: MandateEntry): Rule {
  return {
    connectionId: connectionId?.toLowerCase(),
    isWrite: access === 'write',
    methods,
    paths: paths?.map(compilePattern),
    fullPaths: paths?.filter((path) => !path.includes('*')).map(compilePattern) ?? [],
  };
}

function mayAllow({ isWrite, methods, paths, fullPaths }: Rule, reading: Reading): boolean {
  if (methods !== undefined && !methods.includes(reading.method)) return false;
  if (paths !== undefined && !reading.mayMatchAny(paths)) return false;
  if (reading.isBatch && !reading.mayMatchAny(fullPaths)) return false;
  return isWrite || reading.mayRead;
}

/** What rules ask of an operation. */
class Reading {
  readonly method: string;
  readonly isBatch: boolean;
  readonly mayRead: boolean;
  readonly #template: PathTemplate;

  constructor(method: string, path: string, facts: AccessFacts | undefined) {
    const folded = foldPath(normalizePath(path));
    this.method = method;
    this.#template = readTemplate(path);
    this.isBatch = matchesAny(foldedPatternsFor(facts?.batch), folded);
    this.mayRead = this.#findMayRead(facts, folded);
  }

  mayMatchAny(patterns: readonly PathPattern[]): boolean {
    for (const pattern of patterns) if (mayMatch(pattern, this.#template)) return true;
    return false;
  }

  #findMayRead(facts: AccessFacts | undefined, folded: string): boolean {
    if (this.mayMatchAny(patternsFor(facts?.reads)) && ['GET', 'HEAD', 'POST'].includes(this.method))
      return true;
    if (this.method === 'GET' || this.method === 'HEAD')
      return !matchesAny(foldedPatternsFor(facts?.writes), folded);
    if (this.method !== 'POST') return false;
    return this.mayMatchAny(patternsFor(facts?.graphql)) || this.mayMatchAny(patternsFor(facts?.mcp));
  }
}
