import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { z } from 'zod';
import { isStorableText } from '../lib/storable-text.ts';
import { type Admission, admit, admitAgain } from './admit.ts';
import { allowOrigins } from './allow-origins.ts';
import { matchesIfNoneMatch, repeatOvertaken, tagRepresentation } from './conditional.ts';
import { announceDeprecation } from './deprecation.ts';
import type { CommitReply, Endpoint, EndpointReply, ParsedInput } from './endpoint.ts';
import { ERRORS } from './error-codes.ts';
import {
  createErrorHandler,
  type ErrorCode,
  type ErrorLog,
  HttpError,
  logFailure,
  toHttpError,
} from './errors.ts';
import {
  AnsweredMeanwhile,
  type Commit,
  commitOnly,
  createRunOnce,
  hashRequest,
  type IdempotencyStore,
  type Reply,
  readIdempotencyKey,
} from './idempotency.ts';
import { buildLocation } from './location.ts';
import { refuseMethod } from './other-methods.ts';
import { principalKey } from './principal.ts';
import { problemReply, sendReply, sendStream, serializeDeclaredBody } from './reply.ts';
import { getRequestContext } from './request-context.ts';
import {
  createJsonBodyReader,
  gatherTags,
  type JsonBodyReader,
  parsePart,
  readQuery,
} from './request-input.ts';

/** What an operation takes where it declares nothing. */
const NOTHING = z.strictObject({});

export type ApiRouterDeps = Admission & {
  readonly endpoints: readonly Endpoint[];
  readonly log: ErrorLog;
  /** Left out: `Idempotency-Key` is ignored. */
  readonly idempotency?: IdempotencyStore;
};

/**
 * The management API as a router, to be mounted at /v1. Its order per request: CORS, credentials, rate limit, input,
 * idempotency, handler, declared fields only. Every refusal is a problem reply; unknown paths are `not_found`,
 * known paths with another method `method_not_allowed` with `Allow`.
 */
export function createApiRouter(deps: ApiRouterDeps): Router {
  const router = express.Router({ caseSensitive: true });
  const runOnce = deps.idempotency && createRunOnce(deps.idempotency);
  if (deps.isAllowedOrigin) router.use(allowOrigins(deps.isAllowedOrigin));
  const paths = Map.groupBy(deps.endpoints, (declared) => declared.path);
  const ordered = [...paths].sort(([a], [b]) => comparePaths(a, b));
  for (const [path, endpoints] of ordered) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const declared of endpoints) route[declared.method](handle(declared, deps, runOnce));
    route.all(refuseOthers(path, endpoints));
  }
  router.use(() => {
    throw new HttpError('not_found');
  });
  router.use(createErrorHandler(deps));
  return router;
}

/** Fixed segments before parameters, so that `/users/me` is not taken for `/users/{id}` in any order of declaration. */
function comparePaths(a: string, b: string): number {
  const rank = (path: string) => path.replaceAll(/\{\w+\}/g, '\uffff');
  return rank(a) < rank(b) ? -1 : 1;
}

function refuseOthers(path: string, endpoints: readonly Endpoint[]): RequestHandler {
  const methods = endpoints.map(({ method }) => method.toUpperCase());
  return (request, response) => {
    getRequestContext(response).route = request.baseUrl + path;
    refuseMethod(request, response, methods);
  };
}

function handle(endpoint: Endpoint, deps: ApiRouterDeps, runOnce: RunOnce | undefined): RequestHandler {
  const readJsonBody = createJsonBodyReader(endpoint.bodyBytesMax, endpoint.yamlMember);
  return async (request, response) => {
    const context = getRequestContext(response);
    context.route = request.baseUrl + endpoint.path;
    response.setHeader('Gateway-Request-Id', context.requestId);
    announceDeprecation(response, endpoint.deprecated, deps.publicUrl);
    const principal = await admit(endpoint, deps, request, response);
    const isBodyAwaited = principal !== undefined && takesBody(endpoint) && !request.complete;
    const input: ParsedInput = {
      params: readParams(endpoint, request.params),
      query: parsePart('query', endpoint.query ?? NOTHING, readQueryOf(endpoint, request.originalUrl)),
      body: await readBody(endpoint, readJsonBody, request, response),
      principal: isBodyAwaited ? await admitAgain(endpoint, deps, request, response) : principal,
      request,
      requestId: context.requestId,
    };
    const reply = await answerOnce(endpoint, deps, input, runOnce);
    if (reply.stream) await sendStream(response, reply, reply.stream, deps.log);
    else
      sendReply(response, notModified(request, reply) ? { ...reply, status: 304, body: undefined } : reply);
  };
}

/** What no column can hold, the store would take for a fault of its own. */
function readParams(endpoint: Endpoint, params: Readonly<Record<string, string | string[]>>) {
  const absent = absentCode(endpoint);
  if (
    Object.values(params)
      .flat()
      .some((value) => !isStorableText(value))
  )
    throw new HttpError(absent);
  return parsePart('params', endpoint.params ?? NOTHING, { ...params }, absent);
}

/** A malformed id is answered like one that does not exist. */
function absentCode(endpoint: Endpoint): ErrorCode {
  return endpoint.errors?.find((code) => ERRORS[code].status === 404) ?? 'not_found';
}

/** GET and DELETE bodies have no meaning (RFC 9110 section 9.3): they are not read. */
function takesBody({ method }: Endpoint): boolean {
  return method !== 'get' && method !== 'delete';
}

async function readBody(
  endpoint: Endpoint,
  readJsonBody: JsonBodyReader,
  request: Request,
  response: Response,
): Promise<unknown> {
  if (!takesBody(endpoint)) return {};
  return parsePart('body', endpoint.body ?? NOTHING, await readJsonBody(request, response));
}

type RunOnce = ReturnType<typeof createRunOnce>;

async function answerOnce(
  endpoint: Endpoint,
  deps: ApiRouterDeps,
  input: ParsedInput,
  runOnce: RunOnce | undefined,
): Promise<Reply> {
  const { request, principal, requestId } = input;
  const key = endpoint.method === 'post' ? readIdempotencyKey(request.headers['idempotency-key']) : undefined;
  // Without credentials a caller that repeats cannot be distinguished from an attacker that guessed the key.
  if (key === undefined || !principal || !runOnce) return answer(endpoint, deps, input, commitOnly);
  const owner = principalKey(principal);
  const scope = `${owner} POST ${request.baseUrl}${request.path}`;
  const requestHash = hashRequest(request.originalUrl, input.body);
  const { changesNothing = false } = endpoint;
  return runOnce({ scope, owner, key, requestHash, changesNothing }, requestId, (commit) =>
    answer(endpoint, deps, input, commit),
  );
}

/** The reply of the handler; a refusal is a reply too, so that it can be kept for repeats. */
async function answer(
  endpoint: Endpoint,
  deps: ApiRouterDeps,
  input: ParsedInput,
  commit: Commit,
): Promise<Reply> {
  let committed: Reply | undefined;
  const render = (reply: EndpointReply<unknown>) => successReply(endpoint, deps, input, reply);
  const commitReply: CommitReply = async (db, work) => {
    const done = await commit(db, async (trx) => {
      const result = await work(trx);
      return { result, reply: render(result) };
    });
    committed = done.reply;
    return done.result;
  };
  try {
    const reply = await repeatOvertaken(input.request, () => endpoint.handler({ ...input, commitReply }));
    return committed ?? render(reply);
  } catch (thrown) {
    if (thrown instanceof AnsweredMeanwhile) throw thrown;
    const error = toHttpError(thrown);
    logFailure(deps.log, error, input.requestId);
    // What is committed has happened, whatever failed afterwards.
    return committed ?? problemReply(error, { requestId: input.requestId, publicUrl: deps.publicUrl });
  }
}

function successReply(
  endpoint: Endpoint,
  deps: ApiRouterDeps,
  input: ParsedInput,
  { body, bodyText, stream, otherBody, headers, cookies, etag }: EndpointReply<unknown>,
): Reply {
  const isOther = otherBody !== undefined && endpoint.otherSuccess !== undefined;
  const { status, schema } = isOther ? endpoint.otherSuccess : endpoint.success;
  const [mediaType] = endpoint.success.mediaTypes ?? [];
  const text = stream
    ? undefined
    : (bodyText ?? serializeDeclaredBody(schema, isOther ? otherBody : body, endpoint.operationId));
  return {
    status,
    headers: {
      ...(text !== undefined && { 'Content-Type': 'application/json; charset=utf-8' }),
      ...(stream && mediaType !== undefined && { 'Content-Type': mediaType }),
      // Replies may hold secrets shown once: only a GET with a validator may be kept, by its caller alone.
      'Cache-Control': etag && endpoint.method === 'get' ? 'private, no-cache' : 'no-store',
      ...(etag && { ETag: text === undefined ? etag : tagRepresentation(etag, text) }),
      ...headers,
      ...(status === 201 && {
        Location: buildLocation(`${deps.publicUrl}${input.request.originalUrl}`, headers?.Location, body),
      }),
    },
    body: text,
    cookies,
    stream,
  };
}

function notModified(request: Request, reply: Reply): boolean {
  const etag = reply.headers.ETag;
  return reply.status === 200 && request.method !== 'POST' && request.method !== 'PATCH' && etag !== undefined
    ? matchesIfNoneMatch(request, etag)
    : false;
}

function readQueryOf({ query }: Pick<Endpoint, 'query'>, target: string): Record<string, unknown> {
  const read = readQuery(target);
  return query !== undefined && 'tag' in query.shape ? gatherTags(read) : read;
}
