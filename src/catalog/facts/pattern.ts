import { RE2JS, RE2JSException } from 're2js';

/** A longer text is judged by no pattern; together with the size of a program this bounds the time of a match. */
export const PATTERN_INPUT_LENGTH_MAX = 255;

/** Instructions of one compiled pattern at most. */
const PROGRAM_SIZE_MAX = 1_000;

/** A regular expression of a provider's description, compiled. */
type Pattern = {
  /** Instructions of the compiled program: a match takes at most this many steps for each character. */
  readonly size: number;
  /** True where the whole text matches. */
  readonly matchesAll: (text: string) => boolean;
  /** The first group of the first match in the text; undefined where there is none. */
  readonly firstGroupIn: (text: string) => string | undefined;
};

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly reason: string };

/**
 * Compiles a pattern from a provider's description. RE2 runs it in time that is linear in the text, whatever the
 * pattern, so that none can block the process. JavaScript's own notations that RE2 spells otherwise (`\u00e9`, `[^]`)
 * are translated; what no such engine can do is refused with a reason and what to write instead.
 */
export function compilePattern(text: string): CompiledPattern {
  // Without a Unicode flag JavaScript reads this as a letter where no group has a name, and so does the translation.
  if (text.includes('\\k<')) return { ok: false, reason: BACK_REFERENCE };
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(text));
    const size = compiled.programSize();
    if (size > PROGRAM_SIZE_MAX)
      return { ok: false, reason: 'repeats too much: allow fewer characters, or any number of them' };
    return {
      ok: true,
      pattern: {
        size,
        matchesAll: (input) => input.length <= PATTERN_INPUT_LENGTH_MAX && compiled.testExact(input),
        firstGroupIn: (input) => firstGroup(compiled, input.slice(0, PATTERN_INPUT_LENGTH_MAX)),
      },
    };
  } catch (error) {
    if (error instanceof RE2JSException) return { ok: false, reason: reasonFor(text, error) };
    throw error;
  }
}

function firstGroup(compiled: RE2JS, text: string): string | undefined {
  const matcher = compiled.matcher(text);
  if (compiled.groupCount() === 0 || !matcher.find()) return undefined;
  return matcher.group(1) ?? undefined;
}

const BACK_REFERENCE = 'refers back to a group, which patterns here cannot do: write the part out again';

const UNSUPPORTED: readonly (readonly [syntax: RegExp, reason: string])[] = [
  [
    /\(\?<?[=!]/,
    'uses a look-ahead or look-behind, which patterns here have not: describe what a value may be instead, or list `options`',
  ],
  [/\\[1-9]/, BACK_REFERENCE],
  [/[*+?}][*+]/, 'repeats a repetition: put the inner one into a group'],
  [
    /\{(?:\d{0,9},)?\d{4,}/,
    'repeats something more than 1000 times: use * or +, since a value has 255 characters at most',
  ],
];

function reasonFor(text: string, error: RE2JSException): string {
  const known = UNSUPPORTED.find(([syntax]) => syntax.test(text));
  if (known !== undefined) return known[1];
  const words = error.message.replace(/^error parsing regexp: /, '').slice(0, 200);
  return `is not a regular expression in the syntax of RE2: ${words}`;
}
