import type { RunAgain } from '../../platform/job-worker.ts';
import type { ApiRegistration } from './registration-calls.ts';
import type { Subscription } from './subscription.ts';

/** A registration is renewed when this share of its time is left, and never later than the margin before its end. */
const RENEW_SHARE = 0.25;
const RENEW_MARGIN_MS = 10 * 60_000;
/** Above it a number is of milliseconds: as seconds it would be a date after the year 5000. */
const SECONDS_MAX = 1e11;
/** Ten years: a longer life means "never", and would end behind all dates. */
const LIFE_MS_MAX = 315_360_000_000;

/** How long a registration lives that the catalog says lives for so many seconds, in milliseconds. */
export const lifeMs = (seconds: number) => Math.min(seconds * 1000, LIFE_MS_MAX);

/** When the registration ends: as ISO text, in seconds or milliseconds in the response, else as the catalog says. */
export function findExpiry(
  { expiresSeconds }: Pick<ApiRegistration, 'expiresSeconds'>,
  reported: string | null | undefined,
  nowMs: number,
): Date | null {
  const number = Number(reported ?? Number.NaN);
  const isNumber = Number.isFinite(number);
  const milliseconds = number > SECONDS_MAX ? number : number * 1000;
  const reportedMs = isNumber ? milliseconds : Date.parse(reported ?? '');
  if (reportedMs > nowMs) return new Date(Math.min(reportedMs, nowMs + LIFE_MS_MAX));
  return expiresSeconds === undefined ? null : new Date(nowMs + lifeMs(expiresSeconds));
}

type Registration = Pick<ApiRegistration, 'expiresSeconds'>;
type Expiring = Pick<Subscription, 'expiresAt'>;

function findRenewalMs({ expiresAt }: Expiring, { expiresSeconds }: Registration): number | undefined {
  if (expiresAt === null) return undefined;
  const wholeMs = lifeMs(expiresSeconds ?? 3600);
  return expiresAt.getTime() - Math.max(wholeMs * RENEW_SHARE, Math.min(RENEW_MARGIN_MS, wholeMs / 2));
}

export function isRenewalDue(subscription: Expiring, registration: Registration, nowMs: number): boolean {
  return (findRenewalMs(subscription, registration) ?? Number.POSITIVE_INFINITY) <= nowMs;
}

/** When the registration is to be renewed; undefined where it does not end. */
export function scheduleRenewal(
  subscription: Pick<Subscription, 'expiresAt' | 'projectId'>,
  registration: Registration,
): RunAgain | undefined {
  const atMs = findRenewalMs(subscription, registration);
  return atMs === undefined ? undefined : { runAgainAt: new Date(atMs), projectId: subscription.projectId };
}
