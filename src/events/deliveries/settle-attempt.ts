import type { DestinationProgress, DisabledReason } from '../destinations/destination.ts';
import type { Sent } from '../sending/sender.ts';
import type { Delivery, DeliveryOutcome } from './delivery.ts';
import {
  afterFailure,
  FAILURES_UNTIL_PROBING,
  hasFailedTooLong,
  holdAskedFor,
  nextAttemptAt,
  nextProbeAt,
} from './delivery-schedule.ts';

type Chance = { readonly nowMs: number; readonly random: number };

/** Answers with which a receiver asks for a pause as a whole, not for one message. */
const ASKS_FOR_PAUSE: ReadonlySet<number | undefined> = new Set([429, 503]);

/** What an attempt means for the delivery. */
export function judgeOutcome(delivery: Delivery, sent: Sent, { nowMs, random }: Chance): DeliveryOutcome {
  const { durationMs, status, error, code, answer } = sent;
  const at = new Date(nowMs - durationMs).toISOString();
  const attempt = { at, status, durationMs, error, code, answer };
  const attemptsMade = delivery.attemptsMade + 1;
  const over = { delivery, attemptsMade, attempt, nextAttemptAt: null };
  if (error === undefined) return { ...over, state: 'delivered' };
  if (error === 'aborted_by_receiver') return { ...over, state: 'dead' };
  const next = nextAttemptAt(attemptsMade, { nowMs, random, retryAfterMs: sent.retryAfterMs });
  if (next === undefined) return { ...over, state: 'dead' };
  return { ...over, state: 'failed', nextAttemptAt: next };
}

/** A delivery whose event is not kept any more. */
export function expiredOutcome(delivery: Delivery): DeliveryOutcome {
  const { attemptsMade } = delivery;
  return { delivery, attemptsMade, state: 'dead', attempt: undefined, nextAttemptAt: null };
}

/** What an attempt means for the destination. A receiver that refuses one message for good is there and well. */
export function progressAfter(
  progress: DestinationProgress,
  sent: Sent,
  chance: Chance,
): DestinationProgress {
  const { nowMs } = chance;
  const healthy = { ...progress, lane: 'deliver', failures: 0, failingSince: null } as const;
  if (sent.error === undefined) return { ...healthy, lastSuccessAt: new Date(nowMs) };
  if (sent.error === 'aborted_by_receiver') return healthy;
  // So is one that takes all but this message; what it says is shown.
  if (sent.error === 'message_too_large')
    return { ...healthy, lastFailureAt: new Date(nowMs), lastFailure: sent.error };
  const health = afterFailure(progress, nowMs);
  const isFailing = progress.lane === 'deliver-failing' || health.failures >= FAILURES_UNTIL_PROBING;
  const holds = [
    ...(progress.holdUntil === null ? [] : [progress.holdUntil]),
    ...(isFailing ? [nextProbeAt(health.failures, chance)] : []),
    ...(sent.retryAfterMs !== undefined && ASKS_FOR_PAUSE.has(sent.status)
      ? [holdAskedFor(sent.retryAfterMs, nowMs)]
      : []),
  ];
  return {
    ...progress,
    ...health,
    lane: isFailing ? 'deliver-failing' : 'deliver',
    holdUntil: holds.length === 0 ? null : new Date(Math.max(...holds.map((at) => at.getTime()))),
    lastFailure: sent.error,
  };
}

/** Why the destination is to be disabled after the attempt, if it is. */
export function reasonToDisable(
  progress: DestinationProgress,
  sent: Sent,
  nowMs: number,
): DisabledReason | undefined {
  if (sent.error === 'gone') return 'gone';
  return sent.error !== undefined && hasFailedTooLong(progress, nowMs) ? 'failing' : undefined;
}
