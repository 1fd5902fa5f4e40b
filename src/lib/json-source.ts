/**
 * Finds where values stand in the text of a JSON document, so that a part of it can be passed on byte for byte: a number
 * may have more digits than JavaScript holds. The text is known to be JSON. Nothing here recurses: nesting costs no stack.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;

/** Index and end of a value in the text. */
export type SourceRange = { readonly start: number; readonly end: number };

/** Index of the first character that is no blank. */
export function findStart(text: string): number {
  return skipBlanks(text, 0);
}

/** The range of the whole document, without blanks around it. */
export function locateDocument(text: string): SourceRange {
  const start = findStart(text);
  return { start, end: findValueEnd(text, start) };
}

/** The range of a member of an object; of two with one name the last, as JSON.parse has it. */
export function locateMember(text: string, object: SourceRange, name: string): SourceRange | undefined {
  if (text.charCodeAt(object.start) !== OPEN_OBJECT) return undefined;
  let found: SourceRange | undefined;
  let at = skipBlanks(text, object.start + 1);
  while (at < object.end && text.charCodeAt(at) === QUOTE) {
    const nameEnd = findStringEnd(text, at);
    const start = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const end = findValueEnd(text, start);
    if (isName(text, at, nameEnd, name)) found = { start, end };
    at = nextItem(text, end);
  }
  return found;
}

/** The ranges of a list's elements, `max` at most; none where it is no list. */
export function locateElements(text: string, list: SourceRange, max: number): SourceRange[] {
  if (text.charCodeAt(list.start) !== OPEN_LIST) return [];
  const found: SourceRange[] = [];
  let at = skipBlanks(text, list.start + 1);
  while (at < list.end && text.charCodeAt(at) !== CLOSE_LIST && found.length < max) {
    const end = findValueEnd(text, at);
    found.push({ start: at, end });
    at = nextItem(text, end);
  }
  return found;
}

/** The text of the value that these names lead to. */
export function readSource(text: string, names: readonly string[]): string | undefined {
  const range = locateValue(text, names);
  return range && text.slice(range.start, range.end);
}

/** The range of the value that these names lead to. */
export function locateValue(text: string, names: readonly string[]): SourceRange | undefined {
  let range: SourceRange | undefined = locateDocument(text);
  for (const name of names) {
    const isList: boolean = text.charCodeAt(range.start) === OPEN_LIST;
    range = isList
      ? locateElements(text, range, Number(name) + 1)[Number(name)]
      : locateMember(text, range, name);
    if (range === undefined) return undefined;
  }
  return range;
}

function isName(text: string, start: number, end: number, name: string): boolean {
  const written = text.slice(start + 1, end - 1);
  return written.includes('\\') ? JSON.parse(`"${written}"`) === name : written === name;
}

function nextItem(text: string, end: number): number {
  const at = skipBlanks(text, end);
  return text.charCodeAt(at) === COMMA ? skipBlanks(text, at + 1) : at;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** Index after the closing quote of the string that begins here. */
export function findStringEnd(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function findValueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return findStringEnd(text, start);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return findNestedEnd(text, start);
  let at = start;
  while (at < text.length && !isScalarEnd(text.charCodeAt(at))) at += 1;
  return at;
}

function findNestedEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

function isScalarEnd(code: number): boolean {
  return code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT || code <= 0x20;
}
