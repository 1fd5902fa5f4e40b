/**
 * Characters that a reader does not see, or that move others: a call must not read otherwise than it is sent. Controls,
 * formats such as bidirectional overrides, unassigned ones, separators, blanks of other widths, fillers and selectors of
 * variants.
 */
const UNSEEN = /\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}|\u2800/gu;

/** The text with every such character named; line feeds and tabs stay where `keepLines` is set. */
export function showText(text: string, { keepLines = false } = {}): string {
  return text.replace(UNSEEN, (character) => {
    if (keepLines && (character === '\n' || character === '\t')) return character;
    const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${hex}⟩`;
  });
}

const UNSEEN_MAX = 2_000;

/** True for what is no text to a reader: naming every character of it would take many times its length. */
export function isUnreadable(text: string): boolean {
  let count = 0;
  for (const [character] of text.matchAll(UNSEEN)) {
    if (character !== '\n' && character !== '\t') count += 1;
    if (count > UNSEEN_MAX) return true;
  }
  return false;
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;
const DEPTH_MAX = 32;
/** What is laid out: the cost grows with the number of tokens. Anything longer is shown as it is sent. */
const TEXT_LENGTH_MAX = 64 * 1024;
const LENGTH_MAX = 512 * 1024;
const PAIRS_MAX = 500;
const OPENING: ReadonlySet<string> = new Set(['{', '[']);
const CLOSING: ReadonlySet<string> = new Set(['}', ']']);

/**
 * JSON laid out for reading, with the text of strings decoded. Made of the document's own tokens, so that a member that
 * stands twice is seen twice, and numbers keep their digits. Undefined for what is no JSON, too long or nested too deep.
 */
export function layOutJson(text: string): string | undefined {
  if (text.length > TEXT_LENGTH_MAX || !isJson(text)) return undefined;
  let out = '';
  let depth = 0;
  let before = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (CLOSING.has(token)) depth -= 1;
    if (depth > DEPTH_MAX || out.length > LENGTH_MAX) return undefined;
    out += gapBetween(before, token, depth) + showToken(token);
    if (OPENING.has(token)) depth += 1;
    before = token;
  }
  return out;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function gapBetween(before: string, token: string, depth: number): string {
  if (before === ':') return ' ';
  if (token === ',' || token === ':' || before === '') return '';
  if (OPENING.has(before) && CLOSING.has(token)) return '';
  return `\n${'  '.repeat(depth)}`;
}

function showToken(token: string): string {
  if (!token.startsWith('"')) return token;
  const decoded: unknown = JSON.parse(token);
  return showText(JSON.stringify(decoded));
}

/** Names and values of a form or a query, decoded; undefined where there are too many to be read. */
export function listPairs(encoded: string): [name: string, value: string][] | undefined {
  if (encoded.length > TEXT_LENGTH_MAX || encoded.split('&', PAIRS_MAX + 1).length > PAIRS_MAX)
    return undefined;
  return [...new URLSearchParams(encoded)].map(([name, value]) => [showText(name), showText(value)]);
}
