import { cutOff } from '../http/cut-off.ts';
import { type HttpError, logFailure, toHttpError } from '../http/errors.ts';
import type { Permit } from './admission.ts';
import { passApproval } from './approval-gate.ts';
import type { CallEnvironment, CallOptions } from './call-environment.ts';
import { reportCall } from './call-report.ts';
import { CallTiming } from './call-timing.ts';
import type { MaybePromise } from './contract.ts';
import { setCorsFields } from './cors.ts';
import type { Watched } from './deadlines.ts';
import { endResponse } from './end-response.ts';
import type { ProviderResponse } from './exchange.ts';
import { exchangeErrorCode, type TimeoutKind, timeoutError } from './failures.ts';
import type { Identified } from './identify.ts';
import { bodyTooLargeError, type Intake } from './intake.ts';
import { letInAgain } from './let-in-again.ts';
import { beginCallProblem } from './problem.ts';
import { ProviderAttempts } from './provider-attempts.ts';
import { relayResponse } from './relay.ts';
import { CallerBody, NO_BODY, type RequestBody } from './request-body.ts';
import type { LinkRewriter } from './rewrite-links.ts';
import { bytesMoved, callLimits, type Wait } from './timeouts.ts';

/**
 * One proxied call from its arrival to the end of its answer, as its caller sees it; `ProviderAttempts` is the other
 * side. A class because it is a lifecycle: four parties (caller, provider, clock, look-ups) may each end it at any time.
 */
export class Call implements Watched {
  allowedOrigin: string | undefined;
  readonly #env: CallEnvironment;
  readonly #options: CallOptions;
  readonly #timing = new CallTiming();
  readonly #slot: number;
  #permit: Permit | undefined;
  #identified: Identified | undefined;
  #body: RequestBody = NO_BODY;
  #attempts: ProviderAttempts | undefined;
  #error: HttpError | undefined;
  #isTimingWanted = false;
  /** The body is read before it is known whether the call may be sent. */
  #isReading = false;
  /** Nothing of the caller's body can be read any more. */
  #isBodyBroken = false;

  constructor(env: CallEnvironment, options: CallOptions) {
    this.#env = env;
    this.#options = options;
    options.response.on('close', () => this.#close());
    this.#slot = env.deadlines.watch(this);
  }

  /** Counts the call in. Throws `overloaded`. */
  admit(): Permit {
    this.#permit = this.#env.admission.enter(this.#options.target.projectId);
    return this.#permit;
  }

  /** Sends the call to the provider. The message has been checked and its parties are known. */
  begin(identified: Identified, intake: Intake): void {
    const { response } = this.#options;
    // The caller has left, or its body was malformed, while it was looked up who calls.
    if (response.destroyed || response.headersSent) return;
    const { connection, apiBase, approval } = identified;
    this.#identified = identified;
    this.#isTimingWanted = intake.isTimingWanted;
    this.#permit?.enterConnection(connection.connectionId, apiBase.origin);
    this.#openBody(intake);
    if (approval === undefined) this.#send(identified, intake, false);
    else this.#awaitApproval(identified, intake);
  }

  #awaitApproval(identified: Identified, intake: Intake): void {
    const { response } = this.#options;
    passApproval(
      this.#env.deps.approvals,
      {
        options: this.#options,
        identified,
        body: this.#body,
        isAlive: () => !response.destroyed && !response.headersSent,
        setReading: (isReading) => {
          this.#isReading = isReading;
        },
        letInAgain: () => this.#letInAgain(identified),
      },
      (isOnce) => this.#send(identified, intake, isOnce),
      (thrown) => this.refuse(thrown),
    );
  }

  #letInAgain({ token }: Identified): MaybePromise<void> {
    const { deps } = this.#env;
    return this.#permit && letInAgain(deps, this.#permit, this.#options, token);
  }

  #send(identified: Identified, intake: Intake, isOnce: boolean): void {
    const { deps, limits } = this.#env;
    const { connection } = identified;
    deps.noteUse(connection);
    this.#attempts = new ProviderAttempts(this.#env, this, {
      call: this.#options,
      identified,
      intake,
      body: this.#body,
      userKey: this.#permit?.userKey ?? '',
      limits: callLimits(limits, connection.timeouts, intake.timeoutSeconds),
      timing: this.#timing,
      isOnce,
      letInAgain: connection.signer && (() => this.#letInAgain(identified)),
    });
    this.#attempts.begin();
  }

  #openBody({ hasBody, announcedBytes }: Intake): void {
    if (!hasBody || this.#body !== NO_BODY) return;
    const { request, response, isContinueAwaited } = this.#options;
    const bytesMax = this.#env.deps.limits.requestBodyBytesMax;
    this.#body = new CallerBody({
      request,
      response,
      bytesMax,
      isContinueAwaited,
      announcedBytes,
      onTooLarge: () => this.refuse(bodyTooLargeError(bytesMax)),
    });
  }

  /** The body, read before the call is sent because its mandate asks; undefined where it is longer than `bytesMax`. */
  holdBody(intake: Intake, bytesMax: number): Promise<Buffer | undefined> {
    this.#openBody(intake);
    this.#isReading = true;
    return new Promise((resolve) => {
      this.#body.hold(bytesMax, (body) => {
        this.#isReading = false;
        resolve(body);
      });
    });
  }

  /**
   * Answers with a problem; an answer that has begun is cut off instead, so that the caller does not take it for
   * complete. Never throws: it is the last resort of what runs from events and rejections, where a throw would end the
   * process.
   */
  refuse(thrown: unknown): void {
    try {
      this.#attempts?.abandon();
      this.#refuse(toHttpError(thrown));
    } catch {
      this.#options.response.destroy();
    }
  }

  /** Refuses a call whose body is no HTTP. */
  refuseBody(error: HttpError): void {
    this.#isBodyBroken = true;
    this.refuse(error);
  }

  #refuse(error: HttpError): void {
    const { response, requestId, isContinueAwaited } = this.#options;
    const { deps, deadlines } = this.#env;
    if (response.destroyed || response.writableEnded) return;
    this.#error = error;
    this.#logFailure(error);
    if (response.headersSent) {
      cutOff(response);
      return;
    }
    setCorsFields(response, this.allowedOrigin);
    if (this.#isTimingWanted) response.setHeader('Gateway-Timing', this.#timing.describe());
    const body = Buffer.from(beginCallProblem(response, error, { requestId, publicUrl: deps.publicUrl }));
    this.#timing.responseBytes = body.length;
    // A caller that never got `100 Continue`, or that has stopped sending, leaves nothing to be read.
    const isSilent = (isContinueAwaited && this.#body.isUntouched) || error.code === 'request_timeout';
    if (isSilent || this.#isBodyBroken) response.end(body);
    else endResponse(response, body, deadlines);
  }

  #logFailure(error: HttpError): void {
    const { requestId, target } = this.#options;
    const { log } = this.#env.deps;
    logFailure(log, error, requestId);
    if (error.code === 'upstream_paused') return;
    if (!error.code.startsWith('upstream_') && error.code !== 'client_certificate_refused') return;
    // The cause's code alone: its message may name host and path.
    const fields = {
      requestId,
      provider: target.provider,
      code: error.code,
      cause: exchangeErrorCode(error.cause),
    };
    log.warn(fields, 'provider call failed');
  }

  /** Passes the provider's answer on. Throws where Node cannot write its header section. */
  relay(answer: ProviderResponse, links: LinkRewriter | undefined): void {
    const { response, requestId, fields } = this.#options;
    const connection = this.#identified?.connection;
    relayResponse(
      answer,
      { response, deadlines: this.#env.deadlines, links, timing: this.#timing },
      {
        requestId,
        allowedOrigin: this.allowedOrigin,
        isFromBrowser: fields.isFromBrowser,
        responseHeaders: connection?.responseHeaders,
        timing: this.#isTimingWanted ? this.#timing.describe() : undefined,
      },
    );
  }

  waiting(): Wait | undefined {
    if (this.#isReading) return { kind: 'caller_idle', limitMs: this.#env.limits.idleTimeoutMs };
    return this.#attempts?.waiting();
  }

  progress(): number {
    if (this.#isReading) return this.#body.receivedBytes;
    return bytesMoved(this.#attempts?.current, this.#options.response);
  }

  onTimeout(kind: TimeoutKind): void {
    const crowded = this.#attempts?.crowdedError();
    if (crowded === undefined && kind === 'connect' && this.#identified !== undefined) {
      const { connection, apiBase } = this.#identified;
      this.#env.breaker.noteFailure(connection.projectId, apiBase.origin);
    }
    if (this.#attempts === undefined) this.refuse(timeoutError(kind));
    else this.#attempts.fail(crowded ?? timeoutError(kind));
  }

  #close(): void {
    const { request, response, requestId, target, fields } = this.#options;
    const { deadlines, deps } = this.#env;
    deadlines.unwatch(this.#slot);
    this.#permit?.leave();
    this.#attempts?.leavePlace();
    if (!response.writableFinished || this.#attempts?.isAnswered !== true) this.#attempts?.abandon();
    if (!request.complete) deadlines.endAfterDrain(request.socket, () => request.complete);
    reportCall(deps, {
      requestId,
      target,
      fields,
      connection: this.#permit?.connection,
      method: request.method ?? 'GET',
      response,
      error: this.#error?.code,
      refusal: this.#error?.refusal,
      timing: this.#timing,
      requestBytes: this.#body.receivedBytes,
      user: this.#permit?.verifiedUser,
      mandateEntries: this.#permit?.mandateEntries,
      attempts: this.#attempts?.count ?? 0,
      trace: this.#options.trace,
      isOpenStream: this.#attempts?.isOpenStream ?? false,
    });
  }
}
