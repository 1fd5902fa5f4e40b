import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError, logFailure, sendProblem, toHttpError } from '../http/errors.ts';
import type { Admission } from './admission.ts';
import type { Credential, ProxyDependencies } from './contract.ts';
import { setCorsFields } from './cors.ts';
import { credentialField } from './credential-field.ts';
import type { Deadlines, Watched } from './deadlines.ts';
import { type Answer, Attempt, type AttemptEvents } from './exchange.ts';
import { errorCode, type TimeoutKind, timeoutError, upstreamError } from './failures.ts';
import type { Forward } from './forward.ts';
import { firstField, outgoingFields, type RequestFields } from './headers.ts';
import type { Identified } from './identify.ts';
import { bodyTooLarge, type Intake } from './intake.ts';
import { relayAnswer } from './relay.ts';
import { CallerBody, NO_BODY, type RequestBody } from './request-body.ts';
import { isRelayable } from './response-headers.ts';
import { isRetryableStatus, isSafeMethod, retryDelayMs, STALE_RETRIES_MAX } from './retry.ts';
import type { ProxyTarget } from './target.ts';
import { hostField, upstreamTarget } from './upstream.ts';
import { bytesMoved, type Wait, waitOf } from './waits.ts';

export type CallEnvironment = {
  readonly deps: ProxyDependencies;
  readonly forward: Forward;
  readonly deadlines: Deadlines;
  readonly admission: Admission;
};

export type CallOptions = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly target: ProxyTarget;
  readonly fields: RequestFields;
  readonly isContinueAwaited: boolean;
};

/**
 * One proxied call from its arrival to the end of its answer, over as many attempts as it takes.
 * A class because it is a lifecycle: four parties (caller, provider, clock, look-ups) may each end it at any time.
 */
export class Call implements AttemptEvents, Watched {
  allowedOrigin: string | undefined;
  readonly #env: CallEnvironment;
  readonly #options: CallOptions;
  readonly #startedAtMs = performance.now();
  readonly #method: string;
  readonly #place: number;
  #identified: Identified | undefined;
  #credential: Credential | undefined;
  #body: RequestBody = NO_BODY;
  #attempt: Attempt | undefined;
  #attempts = 0;
  #retriesMade = 0;
  #retriesMax = 0;
  #staleRetries = 0;
  #isRefreshTried = false;
  #isAdmitted = false;
  #isBare = false;
  #relayed: Answer | undefined;
  #isAwaitingBody = false;
  #retryTimer: NodeJS.Timeout | undefined;
  #error: string | undefined;

  constructor(env: CallEnvironment, options: CallOptions) {
    this.#env = env;
    this.#options = options;
    this.#method = options.request.method ?? 'GET';
    options.response.on('close', () => this.#close());
    this.#place = env.deadlines.watch(this);
  }

  /** Counts the call in. Throws `overloaded`. */
  admit(): void {
    this.#env.admission.enter();
    this.#isAdmitted = true;
  }

  /** Sends the call to the provider. The message has been checked and its parties are known. */
  begin(identified: Identified, intake: Intake): void {
    const { request, response, isContinueAwaited } = this.#options;
    if (response.destroyed) return;
    const { deps, admission } = this.#env;
    admission.enterOrigin(identified.connection.apiBase.origin);
    this.#identified = identified;
    this.#credential = identified.credential;
    this.#retriesMax = intake.retries;
    this.#isBare = this.#method === 'GET' && !intake.hasBody && intake.announcedBytes === undefined;
    const bytesMax = deps.limits.requestBodyBytesMax;
    if (intake.hasBody) {
      this.#body = new CallerBody({
        request,
        response,
        bytesMax,
        isContinueAwaited,
        announcedBytes: intake.announcedBytes,
        onTooLarge: () => this.refuse(bodyTooLarge(bytesMax)),
      });
    }
    deps.noteUse(identified.connection);
    this.#send(identified, identified.credential);
  }

  /** Answers with a problem; an answer that has begun is cut off instead, so that nobody takes it for whole. */
  refuse(thrown: unknown): void {
    const { response, requestId } = this.#options;
    const error = toHttpError(thrown);
    this.#abandon();
    if (response.destroyed || response.writableEnded) return;
    this.#error = error.code;
    this.#logFailure(error);
    if (!response.headersSent) setCorsFields(response, this.allowedOrigin);
    sendProblem(response, error, { requestId, publicUrl: this.#env.deps.publicUrl });
  }

  #logFailure(error: HttpError): void {
    const { requestId, target } = this.#options;
    const { log } = this.#env.deps;
    logFailure(log, error, requestId);
    if (!error.code.startsWith('upstream_')) return;
    // The cause's code alone: its message may name host and path.
    const fields = { requestId, provider: target.provider, code: error.code, cause: errorCode(error.cause) };
    log.warn(fields, 'provider call failed');
  }

  #send(identified: Identified, credential: Credential): void {
    const { target, fields, request, response } = this.#options;
    const { connection, place, token } = identified;
    const { placement, apiBase, apiQuery } = connection;
    const pathname = upstreamTarget(target, apiBase, placement, credential, apiQuery);
    const reading = credentialField(place, placement, credential);
    if (pathname === undefined || reading.kind === 'fault') {
      this.refuse(
        new HttpError('integration_misconfigured', {
          detail: 'The credential of the connection is incomplete.',
        }),
      );
      return;
    }
    const host = hostField(apiBase);
    const attempt = new Attempt({
      request,
      response,
      events: this,
      apiBase,
      pathname,
      fields: outgoingFields(fields, {
        host,
        credential: reading.field,
        apiHeaders: connection.apiHeaders,
        token,
        method: this.#method,
      }),
      body: this.#body,
      isBare: this.#isBare,
    });
    this.#attempt = attempt;
    this.#attempts += 1;
    this.#env.forward(attempt);
  }

  #sendAgain(): void {
    const { request, response } = this.#options;
    if (response.destroyed || !this.#identified || !this.#credential) return;
    // httpxy adds listeners to the response for each attempt; the number of attempts is bounded.
    response.setMaxListeners(0);
    request.setMaxListeners(0);
    this.#send(this.#identified, this.#credential);
  }

  onResponse(attempt: Attempt, answer: Answer): void {
    if (attempt !== this.#attempt) {
      answer.discard(this.#env.deps.limits.idleTimeoutMs);
      return;
    }
    try {
      this.#judge(attempt, answer);
    } catch (error) {
      // Node refused to write the head as the provider sent it.
      this.refuse(new HttpError('upstream_invalid_response', { cause: error }));
    }
  }

  #judge(attempt: Attempt, answer: Answer): void {
    if (!isRelayable(answer.status, answer.reason)) {
      throw new HttpError('upstream_invalid_response');
    }
    const status = answer.status ?? 0;
    if (status === 401 && !this.#isRefreshTried && this.#body.mayBecomeReplayable) {
      this.#isRefreshTried = true;
      this.#whenReplayable(() => this.#refresh(attempt, answer));
      return;
    }
    if (isRetryableStatus(status) && this.#mayRetry()) {
      const delayMs = this.#nextDelayMs(firstField(answer.rawHeaders, 'retry-after'));
      if (delayMs !== undefined) {
        this.#whenReplayable(() => this.#retry(delayMs, answer));
        return;
      }
    }
    this.#relay(answer);
  }

  #relay(answer: Answer): void {
    this.#relayed = answer;
    relayAnswer(answer, this.#options.response, {
      requestId: this.#options.requestId,
      allowedOrigin: this.allowedOrigin,
    });
  }

  /** Runs `step` once the caller's body is here in full; the answer in hand waits unread. */
  #whenReplayable(step: () => void): void {
    this.#isAwaitingBody = true;
    this.#body.whenComplete(() => {
      this.#isAwaitingBody = false;
      this.#guarded(step);
    });
  }

  /** The provider refused the credential: one refresh and one repeat, else its answer is passed on. */
  #refresh(attempt: Attempt, answer: Answer): void {
    const { deps } = this.#env;
    const identified = this.#identified;
    const used = this.#credential;
    if (!identified || !used || !this.#body.isReplayable) {
      this.onResponse(attempt, answer);
      return;
    }
    deps
      .refreshAfter401(identified.connection, used)
      .then(
        (fresh) => {
          if (attempt !== this.#attempt) return;
          if (fresh === null) {
            this.onResponse(attempt, answer);
            return;
          }
          this.#credential = fresh;
          this.#leave(attempt, answer);
          this.#sendAgain();
        },
        (error: unknown) => {
          if (attempt === this.#attempt) this.refuse(error);
        },
      )
      .catch((error: unknown) => this.refuse(error));
  }

  /** Steps that run from an event or a timer: a throw there would end the process. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.refuse(error);
    }
  }

  #mayRetry(): boolean {
    return this.#retriesMade < this.#retriesMax && this.#body.mayBecomeReplayable;
  }

  #nextDelayMs(retryAfter: string | undefined): number | undefined {
    const { deps } = this.#env;
    const random = deps.random ? deps.random() : Math.random();
    return retryDelayMs({ retry: this.#retriesMade, retryAfter, nowMs: deps.now(), random });
  }

  #retry(delayMs: number, answer: Answer | undefined): void {
    const attempt = this.#attempt;
    if (answer && attempt) {
      if (!this.#body.isReplayable) {
        this.#relay(answer);
        return;
      }
      this.#leave(attempt, answer);
    }
    this.#retriesMade += 1;
    this.#attempt = undefined;
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.#guarded(() => this.#sendAgain());
    }, delayMs);
  }

  /** Gives up an attempt whose answer is not wanted, and keeps its connection if it costs little. */
  #leave(attempt: Attempt, answer: Answer): void {
    this.#attempt = undefined;
    answer.discard(this.#env.deps.limits.idleTimeoutMs);
    if (!attempt.exchange?.isSent) attempt.abandon();
  }

  onFailure(attempt: Attempt, error: unknown): void {
    if (attempt !== this.#attempt) return;
    // What goes wrong after the last byte of the answer, such as bytes that are too much, does not make it less whole.
    if (this.#relayed?.isComplete) return;
    const { response } = this.#options;
    if (response.destroyed || response.writableEnded) return;
    if (this.#isStale(attempt, error)) {
      this.#staleRetries += 1;
      this.#isBare = false;
      this.#attempt = undefined;
      this.#guarded(() => this.#sendAgain());
      return;
    }
    this.#failOrRetry(upstreamError(error));
  }

  /** A caller who asked for retries gets them for the gateway's own 502 and 504 as well. */
  #failOrRetry(error: HttpError): void {
    const isRetryable = isRetryableStatus(error.status) && error.code.startsWith('upstream_');
    const delayMs =
      isRetryable && !this.#options.response.headersSent && this.#mayRetry() && this.#body.isReplayable
        ? this.#nextDelayMs(undefined)
        : undefined;
    if (delayMs === undefined) {
      this.refuse(error);
      return;
    }
    this.#abandon();
    this.#retry(delayMs, undefined);
  }

  /**
   * A reused connection that the provider had closed meanwhile (RFC 9110 section 9.2.2): the request may be sent again
   * when its method is safe or not a byte of it was written. It then goes through Node's client, whichever it was before.
   */
  #isStale(attempt: Attempt, error: unknown): boolean {
    const { exchange } = attempt;
    if (this.#relayed || !exchange?.isStale(error)) return false;
    if (this.#staleRetries >= STALE_RETRIES_MAX) return false;
    if (isSafeMethod(this.#method)) return this.#body.isReplayable;
    return exchange.isUnsent && (this.#body.isUntouched || this.#body.isReplayable);
  }

  waiting(): Wait | undefined {
    const { limits } = this.#env.deps;
    if (this.#isAwaitingBody) return { kind: 'caller_idle', limitMs: limits.idleTimeoutMs };
    return this.#attempt && waitOf(this.#attempt, this.#relayed !== undefined, limits);
  }

  progress(): number {
    return bytesMoved(this.#attempt, this.#options.response);
  }

  onTimeout(kind: TimeoutKind): void {
    this.#failOrRetry(timeoutError(kind));
  }

  #abandon(): void {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    clearTimeout(this.#retryTimer);
    attempt?.abandon();
  }

  #close(): void {
    const { request, response } = this.#options;
    const { deadlines, admission } = this.#env;
    deadlines.forget(this.#place);
    const connection = this.#identified?.connection;
    if (connection) admission.leaveOrigin(connection.apiBase.origin);
    if (this.#isAdmitted) admission.leave();
    if (!response.writableFinished) this.#abandon();
    if (!request.complete) deadlines.endAfterDrain(request.socket, () => request.complete);
    try {
      this.#report();
    } catch (error) {
      this.#env.deps.log.error(
        { requestId: this.#options.requestId, err: error },
        'a call could not be reported',
      );
    }
  }

  #report(): void {
    const { response, requestId, target } = this.#options;
    const { deps } = this.#env;
    const call = {
      requestId,
      projectId: target.projectId,
      provider: target.provider,
      connectionId: this.#identified?.connection.connectionId,
      method: this.#method,
      path: target.rawPath,
      status: response.headersSent ? response.statusCode : 0,
      error: this.#error ?? (response.writableFinished ? undefined : 'cut_off'),
      durationMs: Math.round((performance.now() - this.#startedAtMs) * 1000) / 1000,
      attempts: this.#attempts,
    };
    if (deps.accessLog) deps.accessLog(call);
    else deps.log.info(call, 'proxied call');
    deps.metrics?.proxied(call);
  }
}
