import express, { type Request, type RequestHandler, type Router } from 'express';
import { maskToNetwork } from '../http/client-address.ts';
import { corsHeaders, isPreflight, preflightHeaders } from '../http/cors.ts';
import { HttpError } from '../http/errors.ts';
import { refuseMethod } from '../http/other-methods.ts';
import { spendShared } from '../http/rate-limits.ts';
import { getRequestContext } from '../http/request-context.ts';
import { createJsonBodyReader } from '../http/request-input.ts';
import { isRecord } from '../lib/is-record.ts';
import type { SharedLimiter } from '../platform/limits/shared-limits.ts';
import { type IdentifyUserDependencies, identifyUser } from './identify-user.ts';
import type { AnswerMcp } from './mcp.ts';
import { ID_LENGTH_MAX, MCP_ROUTE, PROTOCOL_FIELDS } from './quick-call.ts';
import { abortedWith, sendReply } from './send-reply.ts';

/** A body for a provider, and the message around it. */
const BODY_BYTES_MAX = 1024 * 1024;

/** Fields that scripts of an allowed page read beside the usual ones. */
const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate';

export type McpRouterDependencies = IdentifyUserDependencies & {
  readonly answerMcp: AnswerMcp;
  isAllowedOrigin(projectId: string, origin: string): boolean | Promise<boolean>;
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
    getRequestContext(response).route = MCP_ROUTE;
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

  const answer: RequestHandler = async (request, response) => {
    const projectId = String(request.params.projectId).toLowerCase();
    const identify = () =>
      identifyUser(deps, {
        projectId,
        rawHeaders: request.rawHeaders,
        networkOfCaller: () => maskToNetwork(request.ip ?? 'unknown'),
      });
    const known = await identify();
    if (deps.limiter) await spendShared(deps.limiter, `${projectId} ${known.user.subject}`, response);
    const isBodyAwaited = !request.complete;
    const body = await readBody(request, response);
    assertOneMessage(body);
    // The token may have been revoked, or its mandate frozen, while its holder kept the body back.
    const { token, user } = isBodyAwaited ? await identify() : known;
    if (response.destroyed && !isNotification(body)) return;
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

/** Its client waits for no answer: a cancellation is carried out also where it has left meanwhile. */
function isNotification(body: unknown): boolean {
  return isRecord(body) && body.id === undefined;
}

function readHeaders(request: Request): Headers {
  const headers = new Headers();
  for (const name of PROTOCOL_FIELDS) {
    const value = request.get(name);
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}
