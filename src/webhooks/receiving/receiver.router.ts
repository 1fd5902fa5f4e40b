import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import { type ErrorLog, HttpError, logFailure, problem, toHttpError } from '../../http/errors.ts';
import { refuseMethod, takesMethod } from '../../http/other-methods.ts';
import { getRequestContext } from '../../http/request-context.ts';
import { isUuid } from '../../lib/ids.ts';
import { NO_TRACING, type Tracing } from '../../platform/telemetry.ts';
import { matchHost } from '../../proxy/origin.ts';
import { createRawBodyReader, type RawBodyReader } from '../message/raw-body.ts';
import { prepareWebhookResponse, sendWebhookResponse, setSafeFields } from '../message/response.ts';
import type { WebhookAddresses, WebhookOwner } from './addresses.ts';
import { listMethods } from './handshake.ts';
import type { Receive } from './receive.ts';
import { traceReceipt } from './trace-receipt.ts';

/** Our own parts have 43 characters: what is longer is no part, and need not be looked for. */
const PART = /^[A-Za-z0-9_-]{20,100}$/;

export type ReceiverDependencies = {
  readonly addresses: Pick<WebhookAddresses, 'find'>;
  readonly receive: Receive;
  readonly publicUrl: string;
  /** The receiver's own origin; undefined where it shares `publicUrl`. */
  readonly webhookUrl?: string | undefined;
  readonly log: ErrorLog;
  readonly readBody?: RawBodyReader;
  /** Left out: receipts have no spans. */
  readonly tracing?: Tracing;
};

/**
 * The addresses that providers send webhooks to, to be mounted at /webhooks. A 2xx goes out only for what is stored. The
 * gateway's own faults are 5xx, since some providers never repeat what was answered with 4xx. Refusals are problem
 * replies without the fields that the gateway adds for its own callers.
 */
export function createWebhookReceiver(deps: ReceiverDependencies): Router {
  const { addresses, receive, readBody = createRawBodyReader(), tracing = NO_TRACING } = deps;
  const findOrigin = createFindOrigin(deps);
  const router = express.Router({ caseSensitive: true });
  router.use(prepareWebhookResponse);

  function handle(request: Request, response: Response, part: string | undefined): Promise<void> {
    const context = getRequestContext(response);
    context.route = ROUTE;
    const integrationId = String(request.params.integrationId);
    const origin = findOrigin(request);
    const { method } = request;
    const { requestId } = context;
    const received = { method, route: ROUTE, integrationId, hasPart: part !== undefined, origin, requestId };
    return traceReceipt(tracing, received, async (span) => {
      const owner = await findOwner(addresses, integrationId, part);
      span.set({
        'gateway.project.id': owner.projectId,
        'gateway.integration.id': owner.integrationId,
        'gateway.provider': owner.description.providerId,
      });
      return respond(owner, request, response, origin);
    });
  }

  async function respond(
    owner: WebhookOwner,
    request: Request,
    response: Response,
    origin: string,
  ): Promise<number> {
    const methods = listMethods(owner.description);
    if (!takesMethod(methods, request.method)) {
      refuseMethod(request, response, methods);
      return response.statusCode;
    }
    const body = await readBody(request, response);
    const [path = '', ...rest] = request.originalUrl.split('?');
    const reply = await receive(owner, {
      method: request.method,
      url: `${origin}${path}`,
      query: rest.join('?'),
      headers: readHeaders(request),
      body,
    });
    sendWebhookResponse(response, reply);
    return response.statusCode;
  }

  for (const path of ['/:integrationId', '/:integrationId/:part']) {
    router.all(path, (request, response) => {
      const { part } = request.params;
      return handle(request, response, part === undefined ? undefined : String(part));
    });
  }
  router.use(() => {
    throw new HttpError('webhook_address_not_found');
  });
  router.use(createRefusal(deps));
  return router;
}

/** The origin under which the provider knows the address: some sign it, and those registered before keep the old one. */
function createFindOrigin({ publicUrl, webhookUrl }: ReceiverDependencies): (request: Request) => string {
  if (webhookUrl === undefined) return () => publicUrl;
  const isOwnHost = matchHost(webhookUrl);
  return ({ rawHeaders }) => (isOwnHost(rawHeaders) ? webhookUrl : publicUrl);
}

/** The unguessable part is a secret: no log line has it. */
const ROUTE = '/webhooks/{integrationId}';

async function findOwner(
  addresses: Pick<WebhookAddresses, 'find'>,
  id: string,
  part: string | undefined,
): Promise<WebhookOwner> {
  const isAddress = isUuid(id) && (part === undefined || PART.test(part));
  const owner = isAddress ? await addresses.find(id.toLowerCase(), part) : undefined;
  if (owner === undefined) throw new HttpError('webhook_address_not_found');
  return owner;
}

function readHeaders({ headersDistinct }: Request): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(headersDistinct).map(([name, values]) => [name, values ?? []]));
}

function createRefusal({ publicUrl, log }: ReceiverDependencies): ErrorRequestHandler {
  return (thrown: unknown, _request, response, next) => {
    if (response.headersSent) return next(thrown);
    const error = toHttpError(thrown);
    const context = getRequestContext(response);
    logFailure(log, error, context.requestId);
    context.errorCode = error.code;
    const body = JSON.stringify(problem(error, { requestId: context.requestId, publicUrl }));
    response.statusCode = error.status;
    response.setHeader('Content-Type', 'application/problem+json');
    if (error.status === 503) response.setHeader('Retry-After', '1');
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
    setSafeFields(response);
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(body);
  };
}
