/** Postgres keeps neither U+0000 nor half a surrogate pair, in text as in JSON (its manual, section 8.14). */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** Whether every name and text in a value of JSON is storable. Iterative: a stranger chooses how deep it is. */
export function isStorableJson(root: unknown): boolean {
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string' && !isStorableText(value)) return false;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) open.push(name, member);
  }
  return true;
}

/** What is wrong with a text that is not storable, for its sender. */
export const NOT_STORABLE = 'Must not hold U+0000 or half a surrogate pair';

/** The text as Postgres can keep it: without U+0000, half surrogate pairs as U+FFFD. For what a provider sends. */
export function toStorableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

/** The beginning of a text, without half a surrogate pair where it is cut. */
export function cutText(text: string, lengthMax: number): string {
  const cut = text.slice(0, lengthMax);
  return cut.length < text.length && /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
