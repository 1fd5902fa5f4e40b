import express, { type Express, type RequestHandler } from 'express';
import { createBodyDeadline } from '../http/body-deadline.ts';
import { createErrorHandler, type ErrorLog } from '../http/errors.ts';
import { requireMessage } from '../http/message-rules.ts';
import { createPublicHostCheck } from '../http/public-host.ts';
import { limitStoreTime, STORE_TIME_MS } from '../platform/postgres/store-time.ts';
import { createNothingHere } from '../web/nothing-here.router.ts';
import { prepareWebhookResponse } from '../webhooks/message/response.ts';
import { respondOnWebhookHost } from '../webhooks/receiving/webhook-host.router.ts';

/**
 * A request waits for a slow store for some seconds only. The callback has no limit: it has spent a one-use code, so
 * the tokens that the provider issued for it must be stored.
 */
const createStoreLimit =
  (limitMs: number): RequestHandler =>
  (request, _response, next) => {
    if (request.path === '/oauth/callback' || request.path.startsWith('/oauth/callback/')) next();
    else limitStoreTime(next, limitMs);
  };

/** No browser takes an answer for another type than it says, whichever router gives it. */
const keepType: RequestHandler = (_request, response, next) => {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};

export type AppParts = {
  proxy: RequestHandler;
  requestLog: RequestHandler;
  health: RequestHandler;
  webhooks: RequestHandler;
  api: RequestHandler;
  /** Undefined where no identity provider is configured. */
  singleSignOn: RequestHandler | undefined;
  /** The token endpoint, for token exchange. */
  tokenExchange: RequestHandler;
  agents: RequestHandler[];
  connect: RequestHandler;
  /** Pages on which persons decide about calls. */
  approvals: RequestHandler;
  portal: RequestHandler;
  /** What authorization servers read of the gateway's clients. */
  clientDocuments: RequestHandler;
  sdk: RequestHandler;
  /** Refuses what this installation has sent to a provider, and came back. */
  refuseLoops: RequestHandler;
  wellKnown: RequestHandler;
  logos: RequestHandler[];
  catalogFile: RequestHandler;
  docs: RequestHandler[];
  dashboard: RequestHandler;
  /** How many times longer than usual a request waits for the store. */
  storePatience: number;
  publicUrl: string;
  /** The webhooks' own origin; undefined where it is `publicUrl`. */
  webhookUrl: string | undefined;
  log: ErrorLog & { warn(fields: object, message: string): void };
  trustProxy: number | string[] | false;
  /** Notices reverse proxies that `trustProxy` does not name. */
  watchProxies: RequestHandler;
  /** Called with hosts, other than PUBLIC_URL's, under which browsers open pages. */
  noteHost(host: string): void;
};

/**
 * The single Express app. The order matters: the proxy comes before anything that reads bodies, sets fields or spends
 * time (and writes its own log line); then the log; probes; webhooks, which keep the bytes of bodies as they came; the
 * management API, which reads JSON itself; what browsers
 * see; and last the 404.
 */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', parts.trustProxy);
  app.set('case sensitive routing', true);
  const limitStore = createStoreLimit(STORE_TIME_MS * parts.storePatience);
  app.use(parts.proxy);
  app.use(parts.requestLog);
  app.use(keepType);
  app.use(parts.refuseLoops);
  app.use('/webhooks', prepareWebhookResponse);
  app.use(createBodyDeadline(parts));
  app.use(requireMessage);
  if (parts.webhookUrl) app.use(respondOnWebhookHost(parts.webhookUrl, [limitStore, parts.webhooks]));
  app.use(parts.watchProxies);
  app.use(createPublicHostCheck(parts));
  app.use(limitStore);
  app.use(parts.health);
  app.use('/webhooks', parts.webhooks);
  app.use('/v1', parts.api);
  app.use(parts.tokenExchange);
  app.use(parts.agents);
  app.use(parts.connect);
  app.use(parts.approvals);
  app.use(parts.portal);
  app.use(parts.clientDocuments);
  app.use(parts.sdk);
  app.use(parts.wellKnown);
  app.use(parts.logos);
  app.use(parts.catalogFile);
  if (parts.singleSignOn) app.use(parts.singleSignOn);
  app.use(parts.docs);
  app.use(parts.dashboard);
  app.use(createNothingHere(parts));
  app.use(createErrorHandler(parts));
  return app;
}
