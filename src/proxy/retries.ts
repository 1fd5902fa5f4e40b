import {
  askedWaitMs,
  isOwnRefusalForNow,
  type ResponseHead,
  type WaitRules,
} from '../catalog/facts/read-retry-after.ts';
import type { HttpError } from '../http/errors.ts';
import type { RequestBody } from './request-body.ts';
import { isRetryableStatus, retryDelayMs, STALE_RETRIES_MAX } from './retry.ts';

type Clock = { now(): number; random?(): number };

/** How often a call has been sent again, and whether it may be once more. */
export class Repeats {
  readonly #clock: Clock;
  readonly #retriesMax: number;
  #retriesMade = 0;
  #staleRetries = 0;
  #isRefreshTried = false;

  /** `retriesMax` is what the caller asked for by `Gateway-Retry`. */
  constructor(clock: Clock, retriesMax: number) {
    this.#clock = clock;
    this.#retriesMax = retriesMax;
  }

  get isRefreshTried(): boolean {
    return this.#isRefreshTried;
  }

  /** True for the first refusal of the call's credential: one refresh is all that a call may ask for. */
  takeRefresh(): boolean {
    if (this.#isRefreshTried) return false;
    this.#isRefreshTried = true;
    return true;
  }

  /** True as long as the connection may be taken for one that the provider had closed before it read the request. */
  takeStale(): boolean {
    if (this.#staleRetries >= STALE_RETRIES_MAX) return false;
    this.#staleRetries += 1;
    return true;
  }

  /** Milliseconds until the answer is asked for again; undefined where it is to be passed on. */
  delayAfterAnswer(
    answer: ResponseHead,
    rules: WaitRules | undefined,
    body: RequestBody,
  ): number | undefined {
    if (this.#retriesMade >= this.#retriesMax) return undefined;
    const isLater = isRetryableStatus(answer.status) || isOwnRefusalForNow(rules ?? {}, answer);
    if (!isLater || !body.mayBecomeReplayable) return undefined;
    return this.#nextDelayMs(askedWaitMs(rules ?? {}, answer, this.#clock.now()));
  }

  /** The same for the gateway's own 502 and 504: a caller who asked for retries gets them for these as well. */
  delayAfterFailure(error: HttpError, body: RequestBody): number | undefined {
    const isRetryable = isRetryableStatus(error.status) && error.code.startsWith('upstream_');
    return isRetryable && body.isReplayable ? this.#nextDelayMs(undefined) : undefined;
  }

  countRetry(): void {
    this.#retriesMade += 1;
  }

  #nextDelayMs(askedMs: number | undefined): number | undefined {
    if (this.#retriesMade >= this.#retriesMax) return undefined;
    const random = this.#clock.random ? this.#clock.random() : Math.random();
    return retryDelayMs({ retry: this.#retriesMade, askedMs, random });
  }
}
