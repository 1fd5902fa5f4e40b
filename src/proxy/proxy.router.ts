import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '../http/errors.ts';
import { newRequestId } from '../lib/ids.ts';
import { createAdmission } from './admission.ts';
import { Call, type CallEnvironment } from './call.ts';
import type { MaybePromise, ProxyDependencies } from './contract.ts';
import { answerPreflight, isPreflight } from './cors.ts';
import { createDeadlines } from './deadlines.ts';
import { createForward } from './forward.ts';
import { readFields } from './headers.ts';
import { chain, identify, isPromise, type ProviderPlaces, placesOf } from './identify.ts';
import { checkRequest } from './intake.ts';
import { type ProxyTarget, readTarget, type TargetReading } from './target.ts';

export type Proxy = {
  /** Middleware and request listener in one: what is not addressed to the proxy goes to `next`. */
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
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

/**
 * `ANY /projects/<project_id>/proxy/<provider>/<provider_path>`. Mount it before anything that reads bodies, sets
 * response fields or spends time; it also works as the listener of a bare `http.createServer`.
 */
export function createProxy(deps: ProxyDependencies): Proxy {
  const deadlines = createDeadlines(deps.limits);
  const env: CallEnvironment = {
    deps,
    deadlines,
    forward: createForward(deps.agents),
    admission: createAdmission(deps.limits, deps.now),
  };

  function handle(
    request: IncomingMessage,
    response: ServerResponse,
    next?: (error?: unknown) => void,
  ): void {
    const reading = readTarget(request.url ?? '');
    if (reading.kind !== 'other') begin(env, request, response, reading);
    else if (next) next();
    else {
      response.statusCode = 404;
      response.end();
    }
  }

  return Object.assign(handle, { inFlight: () => deadlines.size, close: () => deadlines.stop() });
}

type OurTarget = Exclude<TargetReading, { kind: 'other' }>;

function begin(
  env: CallEnvironment,
  request: IncomingMessage,
  response: ServerResponse,
  reading: OurTarget,
): void {
  const target = reading.kind === 'proxy' ? reading : unreadable(reading.projectId);
  const found = placesOf(env.deps, target);
  if (!isPromise(found)) {
    answer(env, request, response, reading, target, found);
    return;
  }
  found.then(
    (places) => {
      // A caller who left meanwhile would never be counted out.
      if (!response.destroyed) answer(env, request, response, reading, target, places);
    },
    () => response.destroy(),
  );
}

function answer(
  env: CallEnvironment,
  request: IncomingMessage,
  response: ServerResponse,
  reading: OurTarget,
  target: ProxyTarget,
  { places, isKnownProvider }: ProviderPlaces,
): void {
  const fields = readFields(request.rawHeaders, places.headers);
  const requestId = newRequestId();
  const isContinueAwaited = continueAwaited.has(request);
  const call = new Call(env, { request, response, requestId, target, fields, isContinueAwaited });

  const work = (): MaybePromise<void> => {
    call.admit();
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
      const intake = checkRequest(message, fields, env.deps.limits.requestBodyBytesMax);
      return chain(
        identify(env.deps, env.admission, { request, target, fields, places, isKnownProvider }),
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
  return { kind: 'proxy', projectId: projectId ?? '', provider: '', rawPath: '', rawQuery: '' };
}
