import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorLog, logFailure, sendProblem, toHttpError } from '../http/errors.ts';
import { parseJsonBody } from '../http/json-body.ts';
import { assertMessage } from '../http/message-rules.ts';
import { spendShared } from '../http/rate-limits.ts';
import { createRequestContext, type RequestContext } from '../http/request-context.ts';
import { logWhenClosed, type RequestLogDependencies } from '../http/request-log.ts';
import { readTraceId } from '../http/trace-context.ts';
import { newRequestId } from '../lib/ids.ts';
import type { SharedLimiter } from '../platform/limits/shared-limits.ts';
import { limitStoreTime } from '../platform/postgres/store-time.ts';
import { type IdentifyUserDependencies, identifyUser } from './identify-user.ts';
import type { AnswerMcp } from './mcp.ts';
import {
  type KnownMetas,
  MCP_ROUTE,
  PROTOCOL_FIELDS,
  type QuickCall,
  type QuickHead,
  readQuickCall,
  readQuickHead,
  writeAnswer,
} from './quick-call.ts';
import type { RunTool } from './run-tool.ts';
import { abortedWith, endReply, sendReply } from './send-reply.ts';

export type QuickDoor = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** What stands before the door where Express does not. */
export type QuickDoorSurroundings = {
  readonly requestLog: RequestLogDependencies;
  readonly publicUrl: string;
  readonly log: ErrorLog;
  networkOf(request: IncomingMessage): string;
  /** Notices reverse proxies that are not trusted. */
  watchProxies(request: IncomingMessage): void;
};

export type QuickDoorDependencies = IdentifyUserDependencies & {
  readonly runTool: RunTool;
  readonly answerMcp: AnswerMcp;
  readonly knownMetas: KnownMetas;
  readonly limiter?: SharedLimiter | undefined;
};

type Work = QuickDoorDependencies & QuickDoorSurroundings;

/** Answers calls of tools that are of the usual form; every other request goes to `next` as it came. */
export function createQuickDoor(deps: Work): QuickDoor {
  return (request, response, next) => {
    const head = readQuickHead(request);
    if (head === undefined) {
      next();
      return;
    }
    // Most short bodies come in the packet of their head: they are here as soon as Node has taken that apart.
    process.nextTick(() => {
      if (response.destroyed || response.headersSent) return;
      const call = takeCall(deps, request, head);
      if (call === undefined) next();
      else serve(deps, { request, response, head, call });
    });
  };
}

/** The call whose body is here as a whole; undefined where it is none of the usual form, and nothing is taken then. */
function takeCall({ knownMetas }: Work, request: IncomingMessage, head: QuickHead): QuickCall | undefined {
  if (request.readableLength !== head.bodyBytes) return undefined;
  const bytes: unknown = request.read();
  if (!Buffer.isBuffer(bytes)) return undefined;
  const call = tryCall(request, head, bytes, knownMetas);
  if (call === undefined) request.unshift(bytes);
  return call;
}

/** What is wrong with a message, the ways through Express and the SDK say. */
function tryCall(
  { httpVersion }: IncomingMessage,
  head: QuickHead,
  bytes: Buffer,
  knownMetas: KnownMetas,
): QuickCall | undefined {
  const host = head.fields.get('host');
  try {
    assertMessage({ httpVersion, hostCount: host === undefined ? 0 : 1, host, transferEncoding: undefined });
    return readQuickCall(head, parseJsonBody(bytes, head.fields.get('content-type')), knownMetas);
  } catch {
    return undefined;
  }
}

type Arrived = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: QuickHead;
  readonly call: QuickCall;
};

function serve(deps: Work, arrived: Arrived): void {
  const { request, response, head } = arrived;
  const traceId = readTraceId(head.fields.get('traceparent'));
  const context = createRequestContext(traceId, newRequestId());
  context.route = MCP_ROUTE;
  logWhenClosed(deps.requestLog, request, response, context);
  response.setHeader('Vary', 'Origin');
  if (head.isForwarded) deps.watchProxies(request);
  limitStoreTime(() => answer(deps, arrived, context)).catch((thrown: unknown) => {
    const error = toHttpError(thrown);
    const { requestId } = context;
    logFailure(deps.log, error, requestId);
    sendProblem(response, error, { requestId, publicUrl: deps.publicUrl });
  });
}

async function answer(deps: Work, arrived: Arrived, { requestId }: RequestContext): Promise<void> {
  const { request, response, head, call } = arrived;
  const { projectId, fields } = head;
  const identified = await identifyUser(deps, {
    projectId,
    rawHeaders: request.rawHeaders,
    networkOfCaller: () => deps.networkOf(request),
  });
  if (deps.limiter) await spendShared(deps.limiter, `${projectId} ${identified.user.subject}`, response);
  const { name, input, declared } = call;
  const signal = abortedWith(response);
  const caller = { ...identified, traceparent: fields.get('traceparent'), ...declared };
  const result = await deps.runTool({ name, input, caller, requestId, signal, reply: undefined });
  if (response.destroyed) return;
  if ('kind' in result) {
    // A question has a form of its own in each revision, which the SDK knows.
    const url = `http://gateway${request.url}`;
    const message = { url, headers: toHeaders(fields), body: call.message };
    await sendReply(response, await deps.answerMcp({ ...message, caller, requestId, signal, ran: result }));
    return;
  }
  response.setHeader('Content-Type', 'application/json');
  endReply(response, writeAnswer(call, result));
}

function toHeaders(fields: ReadonlyMap<string, string>): Headers {
  const headers = new Headers();
  for (const [name, value] of fields) if (PROTOCOL_FIELDS.has(name)) headers.set(name, value);
  return headers;
}
