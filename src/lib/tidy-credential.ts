/** Invisible characters that web pages and word processors put beside what is copied; blanks are `trim`'s. */
const INVISIBLE: ReadonlySet<string> = new Set(['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff']);

/** Quotes by which the other one has to end it. */
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['„', '“'],
  ['‘', '’'],
  ['«', '»'],
]);

/** What a settings file, a shell or a JSON document puts in front of a credential: `export API_KEY=`, `"client_secret": `. */
const LABEL =
  /^(?:export {1,4})?["']?(?:[A-Z0-9]{1,30}[_.-]){0,6}(?:(?:client|app|application|consumer)[_ .-]?(?:id|key|secret)|api[_ .-]?(?:key|token)|(?:webhook|signing)[_ .-]?secret|(?:access|refresh)[_ .-]?token)["']? {0,4}[=:] {0,4}(?=\S)/i;

/**
 * A client id, secret, key or token as the provider gave it, without what copying it out of a page, a settings file or a
 * JSON document brings along: blanks, line ends and invisible characters around it, its name in front, quotes.
 */
export function tidyCredential(text: string): string {
  const bare = trimInvisible(text);
  const label = LABEL.exec(bare)?.[0];
  if (label === undefined) return unquote(bare);
  // A line of a JSON document ends in a comma, one of a script in a semicolon.
  const value = bare.slice(label.length);
  return unquote(trimInvisible(/["'][,;]$/.test(value) ? value.slice(0, -1) : value));
}

function trimInvisible(text: string): string {
  let bare = text.trim();
  while (INVISIBLE.has(bare.charAt(0))) bare = bare.slice(1).trimStart();
  while (INVISIBLE.has(bare.charAt(bare.length - 1))) bare = bare.slice(0, -1).trimEnd();
  return bare;
}

function unquote(text: string): string {
  const closing = CLOSING.get(text.charAt(0));
  if (closing === undefined || text.length < 3 || !text.endsWith(closing)) return text;
  const inner = text.slice(1, -1);
  return inner.includes(closing) ? text : inner.trim();
}
