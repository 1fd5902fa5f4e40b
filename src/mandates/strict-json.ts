const DEPTH_MAX = 200;
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export type JsonReading = { readonly value: unknown } | { readonly fault: string };

/**
 * JSON that every server reads alike: UTF-8 without a byte order mark, no name twice in an object. Of a name that stands
 * twice, some servers take the first value and some the last.
 */
export function readStrictJson(bytes: Uint8Array): JsonReading {
  try {
    const text = UTF_8.decode(bytes);
    const value: unknown = JSON.parse(text);
    const fault = findAmbiguity(text);
    return fault === undefined ? { value } : { fault };
  } catch {
    return { fault: 'its body is no JSON' };
  }
}

/** `text` is well-formed, so that strings and brackets alone have to be found in it. */
function findAmbiguity(text: string): string | undefined {
  /** The names so far of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      const end = findStringEnd(text, index);
      if (isBeforeColon(text, end) && !takeName(open.at(-1), text.slice(index, end)))
        return 'its body has a name twice';
      index = end - 1;
    }
    if (open.length > DEPTH_MAX) return `its body is nested more than ${DEPTH_MAX} deep`;
  }
  return undefined;
}

/** Where the string goes on after its last quote. */
function findStringEnd(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

function isBeforeColon(text: string, end: number): boolean {
  let index = end;
  while (' \t\r\n'.includes(text[index] ?? 'x')) index += 1;
  return text[index] === ':';
}

/** False where the object has the name already, however it is escaped. */
function takeName(names: Set<string> | undefined, quoted: string): boolean {
  const name = String(JSON.parse(quoted));
  if (names === undefined || names.has(name)) return false;
  names.add(name);
  return true;
}

/** The name as servers see it that do not mind case (Go's `encoding/json`, which folds by Unicode). */
export function foldName(name: string): string {
  return name.toUpperCase().toLowerCase();
}
