const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
/** Of what is to come: else a token that was just made for 90 days, or 3 months, would read "in 2 months". */
const ROUNDING = 1.01;

/** "3 minutes ago", "in 2 days"; seconds are not counted. */
export function formatRelative(at: Date, nowMs: number, language: string): string {
  const left = (at.getTime() - nowMs) / 1000;
  const seconds = left > 0 ? left * ROUNDING : left;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  for (const [unit, size] of STEPS)
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  return format.format(0, 'second');
}
