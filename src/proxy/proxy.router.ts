import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '../http/errors.ts';
import { newRequestId } from '../lib/ids.ts';
import { createSharedLimits } from '../platform/limits/shared-limits.ts';
import { createAdmission } from './admission.ts';
import { createBreaker } from './breaker.ts';
import { Call } from './call.ts';
import type { CallEnvironment } from './call-environment.ts';
import { createCallTracing } from './call-trace.ts';
import { chain, isPromise } from './chain.ts';
import { ConnectionPlaces } from './connection-places.ts';
import type { Door, MaybePromise, ProxyDependencies } from './contract.ts';
import { answerPreflight, isPreflight } from './cors.ts';
import { createDeadlines } from './deadlines.ts';
import { endResponse } from './end-response.ts';
import { createForward } from './forward.ts';
import { findCallerPlaces, identify, type ProviderPlaces } from './identify.ts';
import { checkRequest } from './intake.ts';
import { assertNoLoop } from './loops.ts';
import { createMandateCheck } from './mandate-check.ts';
import { matchHost } from './origin.ts';
import { beginCallProblem } from './problem.ts';
import { readFields } from './request-fields.ts';
import { safeLog } from './safe-log.ts';
import { createShedding } from './shedding.ts';
import { type ProxyTarget, readTarget, type TargetReading } from './target.ts';
import { defaultLimits } from './timeouts.ts';

export type Proxy = {
  /** Middleware and request listener in one: what is not addressed to the proxy goes to `next`. */
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
  /** A call from another door of this process, whatever host its request names. */
  readonly enter: (request: IncomingMessage, response: ServerResponse, door: Door) => void;
  /** Calls in flight. */
  readonly inFlight: () => number;
  /** Stops the timers. Calls in flight are not touched. */
  readonly close: () => void;
};

const continueAwaited = new WeakSet<IncomingMessage>();

/** Marks a request whose caller waits for `100 Continue`: the proxy says it when it is ready for the body. */
export function awaitContinue(request: IncomingMessage): void {
  continueAwaited.add(request);
}

/** Where a response has its call, whose body may turn out to be malformed; a WeakMap costs the collector far more. */
const CALL = Symbol('call');

declare module 'node:http' {
  interface ServerResponse<Request extends IncomingMessage> {
    [CALL]?: Call;
  }
}

/** Refuses a call whose body is at fault. False where no call is under way on this response. */
export function refuseCall(response: ServerResponse, error: HttpError): boolean {
  const call = response[CALL];
  call?.refuseBody(error);
  return call !== undefined;
}

/**
 * `ANY /projects/<project_id>/proxy/<provider>/<provider_path>`. Mount it before anything that reads bodies, sets
 * response fields or spends time; it also works as the listener of a bare `http.createServer`.
 */
export function createProxy(given: ProxyDependencies): Proxy {
  const deps = { ...given, log: safeLog(given.log) };
  const deadlines = createDeadlines(deps.limits);
  const { limit } = deps.sharedLimits ?? createSharedLimits({ peers: () => 1 });
  const shedding = createShedding();
  const env: CallEnvironment = {
    deps,
    deadlines,
    limits: defaultLimits(deps.limits),
    forward: createForward(deps.agents),
    admission: createAdmission(
      deps.limits,
      limit({ name: 'user' }),
      shedding,
      limit({ name: 'organization', isKept: true }),
    ),
    breaker: createBreaker(),
    checkMandate: createMandateCheck(limit({ name: 'mandate', isKept: true })),
    beginTrace: createCallTracing(deps.tracing, deps.proxyUrl ?? deps.publicUrl),
    places: new ConnectionPlaces(deps.limits.socketsPerOriginMax ?? Number.POSITIVE_INFINITY),
  };

  const isProxyHost = deps.proxyUrl === undefined ? undefined : matchHost(deps.proxyUrl);

  function handle(
    request: IncomingMessage,
    response: ServerResponse,
    next?: (error?: unknown) => void,
  ): void {
    const reading = readTarget(request.url ?? '');
    if (isProxyHost !== undefined && isElsewhere(reading, isProxyHost(request.rawHeaders))) {
      // Proxied calls are answered on their own origin alone, and that one answers nothing else.
      if (reading.kind === 'other')
        refuseAddress(env, response, 'Only proxied calls are answered on this origin.');
      else refuseAddress(env, response, `Proxied calls are answered at ${deps.proxyUrl}.`);
    } else if (reading.kind !== 'other') begin(env, request, response, reading);
    else if (next) next();
    else {
      response.statusCode = 404;
      response.end();
    }
  }

  function enter(request: IncomingMessage, response: ServerResponse, door: Door): void {
    const reading = readTarget(request.url ?? '');
    if (reading.kind === 'other') throw new Error('a door calls the proxy with an address of the proxy');
    begin(env, request, response, reading, door);
  }

  const close = (): void => {
    deadlines.stop();
    shedding.stop();
  };
  return Object.assign(handle, { enter, inFlight: () => deadlines.size, close });
}

/** A target that is no path, such as `*`, belongs to no origin. */
function isElsewhere(reading: TargetReading, isProxyHost: boolean): boolean {
  if (reading.kind === 'refused' && reading.projectId === undefined) return false;
  return (reading.kind === 'other') === isProxyHost;
}

function refuseAddress(env: CallEnvironment, response: ServerResponse, detail: string): void {
  const context = { requestId: newRequestId(), publicUrl: env.deps.publicUrl };
  const error = new HttpError('not_found', { detail, headers: { Connection: 'close' } });
  endResponse(response, Buffer.from(beginCallProblem(response, error, context)), env.deadlines);
}

type OurTarget = Exclude<TargetReading, { kind: 'other' }>;

function begin(
  env: CallEnvironment,
  request: IncomingMessage,
  response: ServerResponse,
  reading: OurTarget,
  door?: Door,
): void {
  const target = reading.kind === 'proxy' ? reading : unreadable(reading.projectId);
  const found = findCallerPlaces(env.deps, target);
  if (!isPromise(found)) {
    answer(env, { request, response, reading, target, door }, found);
    return;
  }
  found
    .then((places) => {
      // A caller who left meanwhile would never be counted out, and one with a malformed body has its answer.
      if (!response.destroyed && !response.headersSent)
        answer(env, { request, response, reading, target, door }, places);
    })
    // There is no call yet that could refuse, and an unhandled rejection would end the process.
    .catch((error: unknown) => {
      response.destroy();
      env.deps.log.error({ err: error }, 'a call could not be begun');
    });
}

type Arrived = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly reading: OurTarget;
  readonly target: ProxyTarget;
  readonly door: Door | undefined;
};

function answer(
  env: CallEnvironment,
  { request, response, reading, target, door }: Arrived,
  { places, isKnownProvider }: ProviderPlaces,
): void {
  const fields = readFields(request.rawHeaders, places.headers, places.signatures);
  const requestId = newRequestId();
  const isContinueAwaited = continueAwaited.has(request);
  const trace = env.beginTrace?.(request.method ?? 'GET', fields);
  const call = new Call(env, { request, response, requestId, target, fields, isContinueAwaited, trace });

  if (fields.contentLength !== undefined || fields.transferEncoding !== undefined) response[CALL] = call;

  const { checkMandate } = env;
  const work = (): MaybePromise<void> => {
    const permit = call.admit();
    assertNoLoop(fields.gatewayLoop, env.deps.loopMarks);
    const { origin } = fields;
    const isAllowed = origin === undefined ? false : env.deps.isAllowedOrigin(target.projectId, origin);
    return chain(isAllowed, (allowed): MaybePromise<void> => {
      if (allowed) call.allowedOrigin = origin;
      if (reading.kind === 'refused') throw new HttpError(reading.code, { detail: reading.detail });
      if (isPreflight(request.method, fields)) {
        if (!allowed) throw new HttpError('invalid_origin');
        answerPreflight(response, fields, requestId);
        return;
      }
      const message = { method: request.method ?? 'GET', httpVersion: request.httpVersion };
      const intake = checkRequest(message, fields, env.deps.limits);
      return chain(
        identify(env.deps, permit, {
          ...{ request, target, fields, places, isKnownProvider, checkMandate, door, trace },
          holdBody: (bytesMax) => call.holdBody(intake, bytesMax),
        }),
        (identified) => call.begin(identified, intake),
      );
    });
  };

  try {
    const done = work();
    if (isPromise(done)) done.catch((error: unknown) => call.refuse(error));
  } catch (error) {
    call.refuse(error);
  }
}

function unreadable(projectId: string | undefined): ProxyTarget {
  return {
    kind: 'proxy',
    projectId: projectId ?? '',
    provider: '',
    host: undefined,
    rawPath: '',
    rawQuery: '',
  };
}
