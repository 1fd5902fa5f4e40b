import express, { type Express, type RequestHandler } from 'express';
import { createBodyDeadline } from '../http/body-deadline.ts';
import { createErrorHandler, type ErrorLog, HttpError } from '../http/errors.ts';
import { requireMessage } from '../http/message-rules.ts';
import { createPublicHostCheck } from '../http/public-host.ts';
import { limitStoreTime } from '../platform/postgres/store-time.ts';

/**
 * Nobody waits for a slow store for more than some seconds. The callback is left alone: it has spent a code that was
 * good for one use, and what the provider gave for it must be kept.
 */
const limitStore: RequestHandler = (request, _response, next) => {
  if (request.path === '/oauth/callback' || request.path.startsWith('/oauth/callback/')) next();
  else limitStoreTime(next);
};

export type AppParts = {
  proxy: RequestHandler;
  requestLog: RequestHandler;
  health: RequestHandler;
  api: RequestHandler;
  setup: RequestHandler;
  connect: RequestHandler;
  sdk: RequestHandler;
  wellKnown: RequestHandler;
  logos: RequestHandler;
  docs: RequestHandler;
  publicUrl: string;
  log: ErrorLog & { warn(fields: object, message: string): void };
  trustProxy: number | string[] | false;
};

/**
 * The single Express app. The order is the point: the proxy comes before anything that reads bodies, sets fields or
 * spends time (and writes its own log line); then the log; probes; the management API, which reads JSON itself; what
 * browsers see; and last what nobody wanted.
 */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', parts.trustProxy);
  app.set('case sensitive routing', true);
  app.use(parts.proxy);
  app.use(parts.requestLog);
  app.use(createBodyDeadline(parts));
  app.use(requireMessage);
  app.use(createPublicHostCheck(parts));
  app.use(limitStore);
  app.use(parts.health);
  app.use('/v1', parts.api);
  app.use(parts.connect);
  app.use(parts.sdk);
  app.use(parts.wellKnown);
  app.use(parts.logos);
  app.use(parts.setup);
  app.use(parts.docs);
  app.use(() => {
    throw new HttpError('not_found');
  });
  app.use(createErrorHandler(parts));
  return app;
}
