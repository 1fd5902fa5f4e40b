import type { Response } from 'express';
import { newId } from '../lib/ids.ts';
import type { Principal } from './principal.ts';

/** The facts of one request, from which its log line is written. */
export type RequestContext = {
  readonly requestId: string;
  /** On the monotonic clock of `performance.now()`. */
  readonly startedAtMs: number;
  /** Trace id of the caller's `traceparent`, when it sent a valid one. */
  readonly traceId: string | undefined;
  /** Template such as `/v1/integrations/{id}`, so that logs and metrics do not split by id. */
  route: string | undefined;
  principal: Principal | undefined;
  /** Of a refusal whose reply does not name it. */
  errorCode?: string | undefined;
  /** Of a reply whose fields were written at once, which Node does not keep. */
  replyBytes?: number | undefined;
};

/** A fresh context, for code that serves requests without Express. */
export function createRequestContext(traceId: string | undefined, requestId = newId()): RequestContext {
  return {
    requestId,
    startedAtMs: performance.now(),
    traceId,
    route: undefined,
    principal: undefined,
  };
}

/** Gives the request that this response answers its context. */
export function openContext(response: Response, traceId?: string): RequestContext {
  const context = createRequestContext(traceId);
  response.locals.requestContext = context;
  return context;
}

/** The context of the request that this response answers; made on first use. */
export function getRequestContext(response: Response): RequestContext {
  const held: unknown = response.locals.requestContext;
  return isContext(held) ? held : openContext(response);
}

function isContext(value: unknown): value is RequestContext {
  return typeof value === 'object' && value !== null && 'requestId' in value && 'startedAtMs' in value;
}
