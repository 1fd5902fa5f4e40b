const HOUR_SECONDS = 60 * 60;

/** For how long an old credential may go on working beside the one that follows it. */
export const OVERLAP_SECONDS = {
  none: 0,
  hour: HOUR_SECONDS,
  day: 24 * HOUR_SECONDS,
  week: 7 * 24 * HOUR_SECONDS,
  month: 30 * 24 * HOUR_SECONDS,
} as const;
