import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from '../platform/logger.ts';
import { type Principal, principalId } from './principal.ts';
import { openContext, type RequestContext } from './request-context.ts';
import { readTraceId } from './trace-context.ts';

type FinishedRequest = {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationSeconds: number;
};

export type RequestLogDependencies = {
  readonly log: Pick<Logger, 'request'>;
  readonly onFinish?: (finished: FinishedRequest) => void;
};

/**
 * The first middleware: gives the request its id, puts `Gateway-Request-Id` on the reply and writes one line when the
 * reply is finished or the caller has gone. `onFinish` counts it.
 */
export function createRequestLog(deps: RequestLogDependencies): RequestHandler {
  return (request, response, next) => {
    logWhenClosed(deps, request, response, openContext(response, readTraceId(request.headers.traceparent)));
    next();
  };
}

function logWhenClosed(
  deps: RequestLogDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): void {
  response.setHeader('Gateway-Request-Id', context.requestId);
  writeLineWhenClosed(deps, request, response, context);
}

/** The same where the reply gets its id with its other fields. */
export function writeLineWhenClosed(
  { log, onFinish }: RequestLogDependencies,
  { method = '' }: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): void {
  response.on('close', () => {
    const status = response.writableFinished ? response.statusCode : CALLER_GONE;
    // An undeclared path may hold anything, a token included.
    const route = context.route ?? UNMATCHED;
    const durationMs = Math.round((performance.now() - context.startedAtMs) * 100) / 100;
    const code = response.getHeader('Gateway-Error') ?? context.errorCode;
    if (!PROBES.has(route))
      log.request({
        requestId: context.requestId,
        method,
        route,
        status,
        durationMs,
        bytes: context.replyBytes ?? lengthOf(response.getHeader('Content-Length')),
        traceId: context.traceId,
        ...principalFields(context.principal),
        errorCode: typeof code === 'string' ? code : undefined,
      });
    onFinish?.({ method, route, status, durationSeconds: durationMs / 1000 });
  });
}

/** Asked every few seconds for ever: counted in the metrics, but no news for the log. */
const PROBES = new Set(['/livez', '/readyz', '/metrics']);
const UNMATCHED = 'unmatched';

/** nginx's number for a caller that left before the reply was complete. */
const CALLER_GONE = 499;

function lengthOf(field: unknown): number | undefined {
  return typeof field === 'number' || typeof field === 'string' ? Number(field) : undefined;
}

/** What a log line may say about who called: kind and ids, never the subject. */
function principalFields(principal: Principal | undefined): {
  principal?: string;
  principalId?: string;
  projectId?: string;
} {
  if (!principal) return {};
  return {
    principal: principal.kind,
    principalId: principalId(principal),
    ...('projectId' in principal && { projectId: principal.projectId }),
  };
}
