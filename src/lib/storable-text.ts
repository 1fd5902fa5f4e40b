/** Postgres keeps neither U+0000 nor half a surrogate pair, in text as in JSON (its manual, section 8.14). */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** What is wrong with a text that is not storable, for its sender. */
export const NOT_STORABLE = 'Must not hold U+0000 or half a surrogate pair';

/** The text as Postgres can keep it: without U+0000, half surrogate pairs as U+FFFD. For what a provider sends. */
export function toStorableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}
