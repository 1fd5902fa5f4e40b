/**
 * The part of regular expressions whose cost can be told by looking: characters, classes, groups, alternatives and
 * repetition. No assertions but `^` at the start and `$` at the end, no references back, no flags.
 */
export type PatternNode =
  | { readonly kind: 'characters'; readonly set: ReadonlySet<number> }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number };

export type ParsedPattern = {
  readonly node: PatternNode;
  readonly isAnchoredAtStart: boolean;
  readonly isAnchoredAtEnd: boolean;
};

export class PatternSyntaxError extends Error {
  override readonly name = 'PatternSyntaxError';
}

/** Stands for every character outside ASCII. */
const OTHER = 128;
const ALL: ReadonlySet<number> = new Set(Array.from({ length: OTHER + 1 }, (_, code) => code));
const DIGITS = codesOf('0123456789');
const WORD = codesOf('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz');
/** White space outside ASCII is `OTHER`, on both sides: one set too many only makes a pattern look dearer. */
const SPACE = new Set([...codesOf('\t\n\v\f\r '), OTHER]);
const CLASSES: Readonly<Record<string, ReadonlySet<number>>> = {
  d: DIGITS,
  D: without(ALL, DIGITS),
  w: WORD,
  W: without(ALL, WORD),
  s: SPACE,
  S: new Set([...without(ALL, SPACE), OTHER]),
};
const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };
const DOT = without(ALL, codesOf('\n\r'));

/** Reads a pattern. Throws PatternSyntaxError, in words for whoever wrote it, for what lies outside of the subset. */
export function parsePattern(text: string): ParsedPattern {
  const isAnchoredAtStart = text.startsWith('^');
  const isAnchoredAtEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(text);
  const end = text.length - (isAnchoredAtEnd ? 1 : 0);
  const reader = new PatternReader(text.slice(isAnchoredAtStart ? 1 : 0, end));
  const node = reader.choice();
  if (!reader.isAtEnd) throw new PatternSyntaxError('has a closing parenthesis too many');
  const isLoose = (isAnchoredAtStart || isAnchoredAtEnd) && node.kind === 'choice';
  if (isLoose) throw new PatternSyntaxError('must have its alternatives in a group when it uses ^ or $');
  return { node, isAnchoredAtStart, isAnchoredAtEnd };
}

/** A class because reading is a position that moves. */
class PatternReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (!this.isAtEnd && !this.#sees('|') && !this.#sees(')')) parts.push(this.#repeated(this.#atom()));
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: 'sequence', parts };
  }

  #repeated(body: PatternNode): PatternNode {
    const bounds = this.#bounds();
    if (bounds === undefined) return body;
    // A lazy repetition tries the same ways in another order.
    this.#take('?');
    if (this.#bounds() !== undefined) throw new PatternSyntaxError('repeats a repetition');
    return { kind: 'repeat', body, ...bounds };
  }

  #bounds(): { min: number; max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take('?')) return { min: 0, max: 1 };
    const [whole, min, comma, max] = /^\{(\d{1,4})(,)?(\d{1,4})?\}/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined || min === undefined) return undefined;
    this.#at += whole.length;
    const open = comma === undefined ? Number(min) : Number.POSITIVE_INFINITY;
    return { min: Number(min), max: max === undefined ? open : Number(max) };
  }

  #atom(): PatternNode {
    const character = this.#next();
    if (character === '(') return this.#group();
    if (character === '[') return { kind: 'characters', set: this.#characterClass() };
    if (character === '.') return { kind: 'characters', set: DOT };
    if (character === '\\') return { kind: 'characters', set: this.#escaped(false) };
    if ('*+?{}]'.includes(character)) throw new PatternSyntaxError(`needs a backslash before ${character}`);
    if (character === '^' || character === '$') {
      throw new PatternSyntaxError(
        `may have ${character} at its ${character === '^' ? 'start' : 'end'} only`,
      );
    }
    return { kind: 'characters', set: setOf(character) };
  }

  #group(): PatternNode {
    if (this.#take('?') && !this.#take(':')) {
      throw new PatternSyntaxError('may not use lookahead, lookbehind, named groups or flags');
    }
    const inside = this.choice();
    if (!this.#take(')')) throw new PatternSyntaxError('lacks a closing parenthesis');
    return inside;
  }

  #characterClass(): ReadonlySet<number> {
    const isNegated = this.#take('^');
    const members = new Set<number>();
    while (!this.#take(']')) for (const code of this.#classMember()) members.add(code);
    if (!isNegated) return members;
    // Some character outside ASCII is left, whichever of them the class names.
    return new Set([...without(ALL, members), OTHER]);
  }

  #classMember(): ReadonlySet<number> {
    const low = this.#classCharacter();
    if (!this.#sees('-') || this.#text[this.#at + 1] === ']') return low;
    this.#next();
    const high = this.#classCharacter();
    const [first] = low;
    const [last] = high;
    if (low.size !== 1 || high.size !== 1 || first === undefined || last === undefined || first > last) {
      throw new PatternSyntaxError('has a range in a character class that is none');
    }
    return new Set(Array.from({ length: last - first + 1 }, (_, index) => first + index));
  }

  #classCharacter(): ReadonlySet<number> {
    const character = this.#next();
    return character === '\\' ? this.#escaped(true) : setOf(character);
  }

  #escaped(isInClass: boolean): ReadonlySet<number> {
    const character = this.#next();
    const named = CLASSES[character];
    if (named !== undefined) return named;
    const control = CONTROLS[character];
    if (control !== undefined) return setOf(control);
    if (isInClass && character === 'b') return setOf('\b');
    if (/[A-Za-z0-9]/.test(character)) throw new PatternSyntaxError(`may not use \\${character}`);
    return setOf(character);
  }

  #next(): string {
    const character = this.#text[this.#at];
    if (character === undefined) throw new PatternSyntaxError('ends too early');
    this.#at += 1;
    return character;
  }

  #sees(character: string): boolean {
    return this.#text[this.#at] === character;
  }

  #take(character: string): boolean {
    if (!this.#sees(character)) return false;
    this.#at += 1;
    return true;
  }
}

function setOf(character: string): ReadonlySet<number> {
  return new Set([Math.min(character.charCodeAt(0), OTHER)]);
}

function codesOf(characters: string): ReadonlySet<number> {
  return new Set([...characters].map((character) => character.charCodeAt(0)));
}

function without(all: ReadonlySet<number>, some: ReadonlySet<number>): ReadonlySet<number> {
  return new Set([...all].filter((code) => !some.has(code)));
}
