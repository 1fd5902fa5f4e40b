/** As many proxied calls a minute, and a day, as a limit may say. */
export const LIMIT_MAX = 1_000_000;
export const QUOTA_MAX = 1_000_000_000;

/** Whether the text is a whole number up to the most that is allowed, or nothing. */
export function isAmount(text: string, max: number): boolean {
  const trimmed = text.trim();
  if (trimmed === '') return true;
  return /^[1-9]\d*$/.test(trimmed) && Number(trimmed) <= max;
}
