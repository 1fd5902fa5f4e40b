/** Whether a text has at most so many characters. Characters are code points, as Postgres counts them. */
export function hasAtMost(text: string, charactersMax: number): boolean {
  if (text.length <= charactersMax) return true;
  return text.length <= 2 * charactersMax && Array.from(text).length <= charactersMax;
}
