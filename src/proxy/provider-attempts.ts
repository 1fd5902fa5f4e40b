import { HttpError } from '../http/errors.ts';
import {
  type AttemptsOptions,
  acceptsEventStream,
  incompleteCredentialError,
  isEventStream,
  linkRewriterFor,
  makeRequest,
  mayBeStream,
} from './attempt-requests.ts';
import type { CallEnvironment, CallOutcome } from './call-environment.ts';
import type { Places, Seeker } from './connection-places.ts';
import type { Credential } from './contract.ts';
import { Attempt, type AttemptEvents, type ProviderResponse } from './exchange.ts';
import { upstreamError } from './failures.ts';
import { isLoopRefusal } from './loops.ts';
import { isPeekable } from './peeked-response.ts';
import { choosePlaceKind, findPooledBody, isWorthATick, mayBePooled } from './pooled-body.ts';
import type { ProviderRequest } from './provider-request.ts';
import { peekResponse, renewCredential } from './refused-credential.ts';
import { delayAfterRefusal, isRepeatableStale } from './repeat-decisions.ts';
import { isRelayable } from './response-headers.ts';
import { Repeats } from './retries.ts';
import { signAndSend } from './signed-attempt.ts';
import { chooseWait, type Wait } from './timeouts.ts';

/**
 * The requests to the provider that one call takes: the first, one with a new credential after a 401, those that the
 * caller asked for by `Gateway-Retry`, and those on a connection that turned out to be dead. Decides which answer or
 * failure is the call's own.
 */
export class ProviderAttempts implements AttemptEvents, Seeker {
  /** The attempt under way; undefined between two of them and after the last. */
  current: Attempt | undefined;
  /** Requests made so far. */
  count = 0;
  readonly projectId: string;
  readonly userKey: string;
  place: Places | undefined;
  isWaiting = false;
  readonly env: CallEnvironment;
  readonly outcome: CallOutcome;
  readonly options: AttemptsOptions;
  readonly #method: string;
  readonly repeats: Repeats;
  credential: Credential;
  /** False once the request goes through Node's client, whatever it is. */
  #mayBePooled: boolean;
  /** The answer that is passed on, or held until a decision about it. */
  #answer: ProviderResponse | undefined;
  #isRelaying = false;
  readonly #mayStayOpen: boolean;
  /** What is relayed is an event stream that may be silent for any time. */
  isOpenStream = false;
  isAwaitingBody = false;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(env: CallEnvironment, outcome: CallOutcome, options: AttemptsOptions) {
    const { call, identified, intake } = options;
    this.env = env;
    this.outcome = outcome;
    this.options = options;
    this.#method = call.request.method ?? 'GET';
    this.projectId = identified.connection.projectId;
    this.userKey = options.userKey;
    this.repeats = new Repeats(env.deps, options.isOnce ? 0 : intake.retries);
    this.credential = identified.credential;
    this.#mayStayOpen =
      identified.connection.hasOpenStreams === true && acceptsEventStream(call.request.headers.accept);
    this.#mayBePooled = !this.#mayStayOpen && mayBePooled(this.#method, intake);
  }

  /** Starts once the packet of the head has been read to its end where a short body may be in it. */
  begin(): void {
    if (this.#mayBePooled && isWorthATick(this.options))
      process.nextTick(() => this.guard(() => this.start()));
    else this.start();
  }

  start(): void {
    const { response } = this.options.call;
    if (response.destroyed || response.headersSent) return;
    const made = makeRequest(this.options, this.credential, this.env.deps.loopMarks?.()[0]);
    const { signer } = this.options.identified.connection;
    if (made === undefined) this.outcome.refuse(incompleteCredentialError());
    else if (signer === undefined) this.send(made);
    else signAndSend(this, signer, made);
  }

  /** Now, or as soon as there is a connection for this call. */
  send({ pathname, fields }: ProviderRequest): void {
    const { call, identified, body } = this.options;
    const { request, response } = call;
    const { apiBase, connection } = identified;
    this.env.breaker.assertOpen(this.projectId, apiBase.origin);
    const pooledBody = this.#mayBePooled ? findPooledBody(body) : undefined;
    this.current = new Attempt({
      request,
      response,
      events: this,
      apiBase,
      pathname,
      fields,
      body,
      pooledBody,
      clientCertificate: connection.clientCertificate,
    });
    const kind = choosePlaceKind(this.options, this.#mayStayOpen, pooledBody);
    if (this.env.places.enter(apiBase.origin, kind, this)) this.#forward(this.current);
  }

  #forward(attempt: Attempt): void {
    this.count += 1;
    this.options.timing.beginProvider();
    this.options.call.trace?.beginAttempt(this.#method, attempt.options.apiBase.origin);
    this.env.forward(attempt);
  }

  onPlace(): void {
    const attempt = this.current;
    if (attempt !== undefined) this.guard(() => this.#forward(attempt));
  }

  leavePlace(): void {
    this.place?.leave(this);
  }

  /** The refusal for a call that still waits for its turn; undefined where it does not. */
  crowdedError(): HttpError | undefined {
    return this.isWaiting ? this.place?.refusalOf(this) : undefined;
  }

  #startAgain(): void {
    const { request, response } = this.options.call;
    // httpxy adds listeners to the response for each attempt; the number of attempts is bounded.
    response.setMaxListeners(0);
    request.setMaxListeners(0);
    this.start();
  }

  onResponse(attempt: Attempt, answer: ProviderResponse): void {
    if (attempt !== this.current) {
      answer.discard(this.options.limits.idleTimeoutMs);
      return;
    }
    this.#answer = answer;
    try {
      this.#judge(attempt, answer);
    } catch (error) {
      // Node refused to write the head as the provider sent it.
      this.outcome.refuse(new HttpError('upstream_invalid_response', { cause: error }));
    }
  }

  #judge(attempt: Attempt, answer: ProviderResponse): void {
    if (!isRelayable(answer.status, answer.reason)) throw new HttpError('upstream_invalid_response');
    const { callRefused, connectionId } = this.options.identified.connection;
    this.env.breaker.noteReached(this.projectId, attempt.options.apiBase.origin);
    const status = answer.status ?? 0;
    this.options.call.trace?.noteAnswer(status);
    this.env.deps.noteAnswer?.(connectionId, status, answer.rawHeaders);
    if (isLoopRefusal(status, answer.rawHeaders)) {
      this.#leave(attempt, answer);
      this.outcome.refuse(new HttpError('loop_detected'));
      return;
    }
    if (status === 401 && this.repeats.takeRefresh()) renewCredential(this, attempt, answer);
    else if (callRefused?.statuses.has(status) && isPeekable(this.#method, answer.rawHeaders))
      peekResponse(this, attempt, answer, callRefused);
    else this.conclude(status, answer);
  }

  replaceAnswer(answer: ProviderResponse): void {
    this.#answer = answer;
  }

  repeatWith(fresh: Credential, attempt: Attempt, answer: ProviderResponse): void {
    this.credential = fresh;
    this.#leave(attempt, answer);
    this.#startAgain();
  }

  /** Passes the answer on, or asks again where the caller wants that. */
  conclude(status: number, answer: ProviderResponse): void {
    const delayMs = status < 400 ? undefined : delayAfterRefusal(this.repeats, this.options, status, answer);
    if (delayMs === undefined) this.relay(answer);
    else this.whenReplayable(() => this.#retry(delayMs, answer));
  }

  relay(answer: ProviderResponse): void {
    this.#isRelaying = true;
    this.options.timing.beginProvider();
    if (this.#mayStayOpen && isEventStream(answer)) {
      this.isOpenStream = true;
      this.options.timing.stop();
    } else if (mayBeStream(answer)) this.place?.keepOpen(this);
    this.outcome.relay(answer, linkRewriterFor(this.options, this.env.deps, this.current?.options.pathname));
  }

  /** Runs `step` once the caller's body is here in full; the answer in hand waits unread. */
  whenReplayable(step: () => void): void {
    this.isAwaitingBody = true;
    this.options.body.whenComplete(() => {
      this.isAwaitingBody = false;
      this.guard(step);
    });
  }

  /** Steps that run from an event or a timer: a throw there would end the process. */
  guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.outcome.refuse(error);
    }
  }

  #retry(delayMs: number, answer: ProviderResponse | undefined): void {
    const attempt = this.current;
    if (answer && attempt) {
      if (!this.options.body.isReplayable) {
        this.relay(answer);
        return;
      }
      this.#leave(attempt, answer);
    }
    this.repeats.countRetry();
    this.current = undefined;
    this.leavePlace();
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.guard(() => this.#startAgain());
    }, delayMs);
  }

  /** Gives up an attempt whose answer is not passed on, and keeps its connection if that is cheap. */
  #leave(attempt: Attempt, answer: ProviderResponse): void {
    this.options.timing.endProvider();
    this.options.call.trace?.endAttempt();
    this.current = undefined;
    this.#answer = undefined;
    answer.discard(this.options.limits.idleTimeoutMs);
    if (!attempt.exchange?.isSent) attempt.abandon();
  }

  onFailure(attempt: Attempt, error: unknown): void {
    // What goes wrong once the whole answer is here, such as a body that the provider reads no more, changes nothing.
    if (attempt !== this.current || this.isAnswered) return;
    const { response } = this.options.call;
    if (response.destroyed || response.writableEnded) return;
    // Servers end silent streams, some without a word; the client resumes.
    if (this.isOpenStream) return void response.destroy();
    if (!this.#isRelaying && isRepeatableStale(attempt, error, this.options) && this.repeats.takeStale()) {
      this.#mayBePooled = false;
      this.current = undefined;
      this.guard(() => this.#startAgain());
      return;
    }
    const { clientCertificate, apiBase } = attempt.options;
    this.env.breaker.noteError(this.projectId, apiBase.origin, error);
    this.fail(upstreamError(error, { hasCertificate: clientCertificate !== undefined }));
  }

  /** Ends the attempt under way with a refusal, or with another attempt where the caller asked for retries. */
  fail(error: HttpError): void {
    const { call, body } = this.options;
    call.trace?.noteFailure(error.code);
    const delayMs = call.response.headersSent ? undefined : this.repeats.delayAfterFailure(error, body);
    if (delayMs === undefined) this.outcome.refuse(error);
    else {
      this.abandon();
      this.#retry(delayMs, undefined);
    }
  }

  /** True once the call's answer is here from beginning to end. */
  get isAnswered(): boolean {
    return this.#answer?.isComplete === true;
  }

  waiting(): Wait | undefined {
    const { limits } = this.options;
    if (this.isOpenStream) return undefined;
    if (this.isAwaitingBody) return { kind: 'caller_idle', limitMs: limits.idleTimeoutMs };
    return this.current && chooseWait(this.current, this.#isRelaying, limits);
  }

  abandon(): void {
    this.options.timing.endProvider();
    this.options.call.trace?.endAttempt();
    const attempt = this.current;
    this.current = undefined;
    this.#answer = undefined;
    this.isAwaitingBody = false;
    clearTimeout(this.#retryTimer);
    attempt?.abandon();
    this.leavePlace();
  }
}
