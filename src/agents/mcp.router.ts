import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { maskToNetwork } from '../http/client-address.ts';
import { corsHeaders, isPreflight, preflightHeaders } from '../http/cors.ts';
import { HttpError } from '../http/errors.ts';
import { refuseMethod } from '../http/other-methods.ts';
import { spendShared } from '../http/rate-limits.ts';
import { getRequestContext } from '../http/request-context.ts';
import { createJsonBodyReader } from '../http/request-input.ts';
import { isUuid } from '../lib/ids.ts';
import { isRecord } from '../lib/is-record.ts';
import type { SharedLimiter } from '../platform/limits/shared-limits.ts';
import type { VerifiedUser } from '../proxy/contract.ts';
import { readBearer } from './bearer.ts';
import type { AnswerMcp } from './mcp.ts';

const ROUTE = '/projects/{projectId}/mcp';
/** A body for a provider, and the message around it. */
const BODY_BYTES_MAX = 1024 * 1024;
const ID_LENGTH_MAX = 256;

/** Fields that scripts of an allowed page read beside the usual ones. */
const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate';

export type McpRouterDependencies = {
  readonly answerMcp: AnswerMcp;
  verifyUserToken(
    projectId: string,
    token: string,
    networkOfCaller: () => string,
  ): VerifiedUser | Promise<VerifiedUser>;
  isAllowedOrigin(projectId: string, origin: string): boolean | Promise<boolean>;
  /** The `WWW-Authenticate` field of a 401, which tells clients where to sign in. */
  challengeOf(projectId: string, error: string | undefined): string;
  /** Messages of one user; left out: any number. */
  readonly limiter?: SharedLimiter | undefined;
};

/**
 * `POST /projects/{projectId}/mcp`. A page of an origin that the project does not list is refused before anything else,
 * whatever it brings: a name that now stands for this address must not reach it (DNS rebinding).
 */
export function createMcpRouter(deps: McpRouterDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const readBody = createJsonBodyReader(BODY_BYTES_MAX);

  const guard: RequestHandler = async (request, response, next) => {
    getRequestContext(response).route = ROUTE;
    const projectId = String(request.params.projectId).toLowerCase();
    const { origin } = request.headers;
    const isAllowed = origin !== undefined && (await deps.isAllowedOrigin(projectId, origin));
    const allowedOrigins = isAllowed ? [origin] : [];
    if (isPreflight(request)) {
      const requestedHeaders = request.get('Access-Control-Request-Headers');
      response.status(204).set(preflightHeaders({ origin, allowedOrigins, requestedHeaders })).end();
      return;
    }
    response.set(corsHeaders({ origin, allowedOrigins }));
    if (isAllowed) response.append('Access-Control-Expose-Headers', EXPOSED);
    if (origin !== undefined && !isAllowed) throw new HttpError('invalid_origin');
    next();
  };

  /** The user of the token. A refusal says where a new one can be had (RFC 9728 section 5.1). */
  async function identify(request: Request, projectId: string) {
    try {
      return await verify(request, projectId);
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 401 || !isUuid(projectId)) throw error;
      const reason = error.code === 'token_missing' ? undefined : 'invalid_token';
      const headers = { ...error.headers, 'WWW-Authenticate': deps.challengeOf(projectId, reason) };
      throw new HttpError(error.code, { detail: error.detail, headers });
    }
  }

  async function verify(request: Request, projectId: string) {
    const token = readBearer(request.rawHeaders);
    // A store would take a malformed id for a fault of its own.
    if (!isUuid(projectId)) throw new HttpError('token_invalid');
    const network = () => maskToNetwork(request.ip ?? 'unknown');
    const user = await deps.verifyUserToken(projectId, token, network);
    const refusal = user.mandate?.refusal;
    if (refusal !== undefined) throw new HttpError(refusal.code, { detail: refusal.detail });
    return { token, user };
  }

  const answer: RequestHandler = async (request, response) => {
    const projectId = String(request.params.projectId).toLowerCase();
    const { token, user } = await identify(request, projectId);
    if (deps.limiter) await spendShared(deps.limiter, `${projectId} ${user.subject}`, response);
    const body = await readBody(request, response);
    assertOneMessage(body);
    const reply = await deps.answerMcp({
      url: `http://gateway${request.originalUrl}`,
      headers: readHeaders(request),
      body,
      caller: { user, token, traceparent: request.get('traceparent') },
      requestId: getRequestContext(response).requestId,
      signal: abortedWith(response),
    });
    await sendReply(response, reply);
  };

  router.all('/projects/:projectId/mcp', guard);
  router.post('/projects/:projectId/mcp', answer);
  router.all('/projects/:projectId/mcp', (request, response) => refuseMethod(request, response, ['POST']));
  return router;
}

/**
 * Neither revision has batches: a hundred calls would count as one message, and their answers be held at once. An id comes
 * back with its answer, however long it is.
 */
function assertOneMessage(body: unknown): void {
  if (Array.isArray(body))
    throw new HttpError('invalid_request', {
      errors: [{ path: 'body', message: 'must be one JSON-RPC message, no batch' }],
    });
  if (isRecord(body) && typeof body.id === 'string' && body.id.length > ID_LENGTH_MAX)
    throw new HttpError('invalid_request', {
      errors: [{ path: 'body.id', message: `must have at most ${ID_LENGTH_MAX} characters` }],
    });
}

/** Fields of the protocol; what says who calls stays here. */
const READ_FIELDS = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
];

function readHeaders(request: Request): Headers {
  const headers = new Headers();
  for (const name of READ_FIELDS) {
    const value = request.get(name);
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

/** Ends what is under way for a client that has left. */
function abortedWith(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

async function sendReply(response: Response, reply: globalThis.Response): Promise<void> {
  const text = await reply.text();
  if (response.destroyed) return;
  response.statusCode = reply.status;
  for (const [name, value] of reply.headers) response.setHeader(name, value);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
