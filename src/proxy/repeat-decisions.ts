import type { AttemptsOptions } from './attempt-requests.ts';
import type { Attempt, ProviderResponse } from './exchange.ts';
import { firstField } from './field-list.ts';
import type { Repeats } from './retries.ts';
import { isSafeMethod } from './retry.ts';

/** Milliseconds until an answer of 4xx or 5xx is asked for again; undefined where it is to be passed on. */
export function delayAfterRefusal(
  repeats: Repeats,
  { identified, body }: AttemptsOptions,
  status: number,
  { rawHeaders }: ProviderResponse,
): number | undefined {
  const head = { status, field: (name: string) => firstField(rawHeaders, name.toLowerCase()) };
  return repeats.delayAfterAnswer(head, identified.connection.waitRules, body);
}

/**
 * A reused connection that the provider had closed meanwhile (RFC 9110 section 9.2.2): the request may be sent again
 * when its method is safe or not a byte of it was written. It then goes through Node's client, whichever it was before.
 */
export function isRepeatableStale(
  { exchange }: Attempt,
  error: unknown,
  { call, body, isOnce }: AttemptsOptions,
): boolean {
  if (!exchange?.isStale(error)) return false;
  if (!isOnce && isSafeMethod(call.request.method ?? 'GET')) return body.isReplayable;
  return exchange.isUnsent && (body.isUntouched || body.isReplayable);
}
