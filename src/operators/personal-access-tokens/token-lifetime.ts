const USUAL_DAYS = 90;
const DAY_MS = 24 * 60 * 60_000;

/** The end of a personal access token of which no end was asked: in 90 days, or sooner where the setting says so. */
export function usualTokenEnd(nowMs: number, daysMax: number): Date {
  return new Date(nowMs + Math.min(USUAL_DAYS, daysMax) * DAY_MS);
}

/** Whether a token may live until then; a minute is for the way of the request. */
export function isTokenEndAllowed(end: Date, nowMs: number, daysMax: number): boolean {
  return end.getTime() <= nowMs + daysMax * DAY_MS + 60_000;
}
