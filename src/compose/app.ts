import express, { type Express, type RequestHandler } from 'express';
import { createBodyDeadline } from '../http/body-deadline.ts';
import { createErrorHandler, type ErrorLog, HttpError } from '../http/errors.ts';
import { requireMessage } from '../http/message-rules.ts';

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
  log: ErrorLog;
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
