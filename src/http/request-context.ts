import type { Response } from 'express';
import { newId } from '../lib/ids.ts';
import type { Principal } from './principal.ts';

/** What is known about one request; its log line is written from this. */
export type RequestContext = {
  readonly requestId: string;
  readonly startedAtMs: number;
  /** Trace id of the caller's `traceparent`, when it sent a valid one. */
  readonly traceId: string | undefined;
  /** Template such as `/v1/integrations/{id}`, so that logs and metrics do not split by id. */
  route: string | undefined;
  principal: Principal | undefined;
};

/** A fresh context. `startedAtMs` is on the monotonic clock. */
export function createRequestContext(traceId?: string): RequestContext {
  return {
    requestId: newId(),
    startedAtMs: performance.now(),
    traceId,
    route: undefined,
    principal: undefined,
  };
}

/** The context of the request that this response answers; made on first use. */
export function contextOf(response: Response): RequestContext {
  const held: unknown = response.locals.requestContext;
  if (isContext(held)) return held;
  const made = createRequestContext();
  response.locals.requestContext = made;
  return made;
}

function isContext(value: unknown): value is RequestContext {
  return typeof value === 'object' && value !== null && 'requestId' in value;
}
