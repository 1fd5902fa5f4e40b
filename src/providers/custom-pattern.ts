import {
  type ParsedPattern,
  type PatternNode,
  PatternSyntaxError,
  parsePattern,
} from './custom-pattern-syntax.ts';

/** Values that a caller's pattern is tried on have at most this many characters; `boundedPattern` sees to it. */
const PATTERN_INPUT_LENGTH_MAX = 255;
const PATTERN_LENGTH_MAX = 200;
/** Ways in which a value may be tried: some tens of milliseconds at worst, whatever the value. */
const WAYS_MAX = 100_000;

/**
 * Why a regular expression of an API caller is refused; undefined where it is safe. The engine backtracks, and while it
 * does nobody else is served; so the number of ways in which it can try one value is bounded beforehand. A repetition
 * is tried in one way only where the character after it tells that it is over.
 */
export function patternFault(text: string, use: 'whole value' | 'search'): string | undefined {
  if (text.length > PATTERN_LENGTH_MAX) return `is longer than ${PATTERN_LENGTH_MAX} characters`;
  try {
    const parsed = parsePattern(text);
    new RegExp(text);
    if (waysOf(parsed, use) <= WAYS_MAX) return undefined;
    return 'may take too long: let the character after each repetition tell that it is over, and repeat no repetition';
  } catch (error) {
    if (error instanceof PatternSyntaxError) return error.message;
    if (error instanceof SyntaxError) return 'is not a regular expression';
    throw error;
  }
}

/** The pattern, refusing values that are longer than it was judged for. */
export function boundedPattern(pattern: string): string {
  const bound = `(?![^]{${PATTERN_INPUT_LENGTH_MAX + 1}})`;
  return pattern.startsWith('^') ? `^${bound}${pattern.slice(1)}` : `${bound}(?:${pattern})`;
}

/** The characters that may come next; the end of the value is always possible beside them, and is told apart. */
type Follow = ReadonlySet<number>;

const END: Follow = new Set();

function waysOf({ node, isAnchoredAtStart }: ParsedPattern, use: 'whole value' | 'search'): number {
  const ways = waysThrough(node, END);
  return use === 'search' && !isAnchoredAtStart ? ways * PATTERN_INPUT_LENGTH_MAX : ways;
}

function waysThrough(node: PatternNode, follow: Follow): number {
  switch (node.kind) {
    case 'characters':
      return 1;
    case 'sequence':
      return waysOfSequence(node.parts, follow);
    case 'choice':
      return waysOfChoice(node.options, follow);
    case 'repeat':
      return waysOfRepeat(node, follow);
  }
}

function waysOfSequence(parts: readonly PatternNode[], follow: Follow): number {
  let ways = 1;
  let next = follow;
  for (const part of parts.toReversed()) {
    ways *= waysThrough(part, next);
    next = isNullable(part) ? union(firstOf(part), next) : firstOf(part);
  }
  return ways;
}

function waysOfChoice(options: readonly PatternNode[], follow: Follow): number {
  const ways = options.map((option) => waysThrough(option, follow));
  const firsts = options.map((option) =>
    isNullable(option) ? union(firstOf(option), follow) : firstOf(option),
  );
  const areApart = firsts.every((first, index) =>
    firsts.slice(index + 1).every((other) => isDisjoint(first, other)),
  );
  const isTold = areApart && options.filter(isNullable).length <= 1;
  return isTold ? Math.max(...ways) : ways.reduce((sum, one) => sum + one, 0);
}

function waysOfRepeat({ body, min, max }: Extract<PatternNode, { kind: 'repeat' }>, follow: Follow): number {
  const most = Math.min(max, PATTERN_INPUT_LENGTH_MAX);
  // A part that may be empty can be repeated for ever in the same place.
  if (most > 1 && isNullable(body)) return Number.POSITIVE_INFINITY;
  const first = firstOf(body);
  const inner = waysThrough(body, most > 1 ? union(first, follow) : follow);
  const through = inner ** most;
  if (min === max || isDisjoint(first, follow)) return through;
  return through * (most - Math.min(min, most) + 1);
}

function isNullable(node: PatternNode): boolean {
  switch (node.kind) {
    case 'characters':
      return false;
    case 'sequence':
      return node.parts.every(isNullable);
    case 'choice':
      return node.options.some(isNullable);
    case 'repeat':
      return node.min === 0 || isNullable(node.body);
  }
}

function firstOf(node: PatternNode): ReadonlySet<number> {
  switch (node.kind) {
    case 'characters':
      return node.set;
    case 'choice':
      return new Set(node.options.flatMap((option) => [...firstOf(option)]));
    case 'repeat':
      return firstOf(node.body);
    case 'sequence': {
      const until = node.parts.findIndex((part) => !isNullable(part));
      const leading = until < 0 ? node.parts : node.parts.slice(0, until + 1);
      return new Set(leading.flatMap((part) => [...firstOf(part)]));
    }
  }
}

function union(left: ReadonlySet<number>, right: ReadonlySet<number>): ReadonlySet<number> {
  return new Set([...left, ...right]);
}

function isDisjoint(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  return ![...left].some((code) => right.has(code));
}
