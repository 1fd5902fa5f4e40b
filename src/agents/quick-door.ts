import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorLog, logFailure, sendProblem, toHttpError } from '../http/errors.ts';
import { parseJsonBody, parsePlainJson, readPlainText } from '../http/json-body.ts';
import { assertMessage } from '../http/message-rules.ts';
import { rateLimitedError, rateLimitHeaders } from '../http/rate-limits.ts';
import { createRequestContext } from '../http/request-context.ts';
import { type RequestLogDependencies, writeLineWhenClosed } from '../http/request-log.ts';
import { readTraceId } from '../http/trace-context.ts';
import { newRequestId } from '../lib/ids.ts';
import type { SharedLimiter } from '../platform/limits/shared-limits.ts';
import { limitStoreTime } from '../platform/postgres/store-time.ts';
import { chain, isPromise } from '../proxy/chain.ts';
import type { MaybePromise } from '../proxy/contract.ts';
import type { Ask } from './ask-user.ts';
import type { Caller } from './caller.ts';
import { readCallKey } from './cancellations.ts';
import { type Identified, type IdentifyUserDependencies, identifyUser } from './identify-user.ts';
import type { KnownMetas } from './known-metas.ts';
import type { AnswerMcp } from './mcp.ts';
import {
  MCP_ROUTE,
  PROTOCOL_FIELDS,
  type QuickCall,
  type QuickHead,
  readDividedCall,
  readQuickCall,
  readQuickHead,
  writeAnswer,
} from './quick-call.ts';
import { QuickReply } from './quick-reply.ts';
import type { RunTool } from './run-tool.ts';
import { abortedWith, endedWith, sendReply } from './send-reply.ts';
import type { ToolResult } from './tool-results.ts';

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
      const taken = takeCall(deps, request, head);
      if (taken === undefined) next();
      else serve(deps, { request, response, head, ...taken });
    });
  };
}

type Taken = { readonly call: QuickCall; readonly bytes: Buffer };

/** The call whose body is here as a whole; undefined where it is none of the usual form, and nothing is taken then. */
function takeCall({ knownMetas }: Work, request: IncomingMessage, head: QuickHead): Taken | undefined {
  if (request.readableLength !== head.bodyBytes) return undefined;
  const bytes: unknown = request.read();
  if (!Buffer.isBuffer(bytes)) return undefined;
  const call = tryCall(request, head, bytes, knownMetas);
  if (call === undefined) request.unshift(bytes);
  return call && { call, bytes };
}

/** What is wrong with a message, the ways through Express and the SDK say. */
function tryCall(
  { httpVersion }: IncomingMessage,
  head: QuickHead,
  bytes: Buffer,
  knownMetas: KnownMetas,
): QuickCall | undefined {
  const host = head.headers.host;
  try {
    assertMessage({ httpVersion, hostCount: host === undefined ? 0 : 1, host, transferEncoding: undefined });
    const text = readPlainText(bytes);
    if (text === undefined) return readQuickCall(head, parseMessage(head, bytes), knownMetas.find);
    return (
      readDividedCall(head, text, knownMetas) ??
      readQuickCall(head, parsePlainJson(text) ?? parseMessage(head, bytes), knownMetas.find)
    );
  } catch {
    return undefined;
  }
}

function parseMessage({ headers }: QuickHead, bytes: Buffer): unknown {
  return parseJsonBody(bytes, headers['content-type']);
}

type Arrived = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: QuickHead;
  readonly call: QuickCall;
  readonly bytes: Buffer;
};

function serve(deps: Work, arrived: Arrived): void {
  const { request, response, head } = arrived;
  const traceId = readTraceId(head.traceparent);
  const context = createRequestContext(traceId, newRequestId());
  context.route = MCP_ROUTE;
  writeLineWhenClosed(deps.requestLog, request, response, context);
  if (head.isForwarded) deps.watchProxies(request);
  const reply = new QuickReply(response, context);
  const refuse = (thrown: unknown): void => {
    const error = toHttpError(thrown);
    const { requestId } = context;
    logFailure(deps.log, error, requestId);
    reply.setFields();
    sendProblem(response, error, { requestId, publicUrl: deps.publicUrl });
  };
  try {
    const done = limitStoreTime(() => answer(deps, arrived, { reply, refuse }));
    if (isPromise(done)) done.catch(refuse);
  } catch (error) {
    refuse(error);
  }
}

type Ways = {
  readonly reply: QuickReply;
  readonly refuse: (thrown: unknown) => void;
};

/** A token that is known and a limit of this process alone take no promise. */
function answer(deps: Work, arrived: Arrived, ways: Ways): MaybePromise<void> {
  const { request, head } = arrived;
  const { limiter } = deps;
  const { projectId } = head;
  const identified = identifyUser(deps, {
    projectId,
    rawHeaders: request.rawHeaders,
    networkOfCaller: () => deps.networkOf(request),
  });
  return chain(identified, (known) => {
    if (limiter === undefined) return run(deps, arrived, ways, known);
    return chain(limiter.check(`${projectId} ${known.user.subject}`), (state) => {
      ways.reply.addLimit(rateLimitHeaders(limiter, state));
      if (!state.allowed) throw rateLimitedError(state);
      run(deps, arrived, ways, known);
    });
  });
}

/** Answers the call once its tool has run; nothing waits for that, which spares a call the promises of it. */
function run(deps: Work, arrived: Arrived, { reply, refuse }: Ways, { user, token }: Identified): void {
  const { response, head, call } = arrived;
  // The client may have left while its token was verified.
  if (response.destroyed) return;
  const { requestId } = reply;
  const { name, input } = call;
  const { abilities, client } = call.declared;
  const caller = { user, token, traceparent: head.traceparent, abilities, client };
  const signal = endedWith(response);
  const settle = (result: ToolResult | Ask): void => {
    try {
      if (response.destroyed) return;
      if ('kind' in result) ask(deps, arrived, reply, caller, result).catch(refuse);
      else reply.send(writeAnswer(call, result));
    } catch (error) {
      refuse(error);
    }
  };
  const callKey = call.isModern ? undefined : readCallKey(user, head.headers['mcp-session-id'], call.id);
  deps.runTool({ name, input, caller, requestId, signal, callKey, reply: undefined }).then(settle, refuse);
}

/** A question has a form of its own in each revision, which the SDK knows. */
async function ask(
  deps: Work,
  { request, response, head, bytes }: Arrived,
  reply: QuickReply,
  caller: Caller,
  ran: Ask,
): Promise<void> {
  const { requestId } = reply;
  const body = parseMessage(head, bytes);
  const message = { url: `http://gateway${request.url}`, headers: toHeaders(head), body };
  const question = await deps.answerMcp({
    ...{ ...message, caller, requestId, ran },
    signal: abortedWith(response),
  });
  reply.setFields();
  await sendReply(response, question);
}

function toHeaders({ headers }: QuickHead): Headers {
  const fields = new Headers();
  for (const name of PROTOCOL_FIELDS) {
    const value = headers[name];
    if (typeof value === 'string') fields.set(name, value);
  }
  return fields;
}
