import { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import { createErrorHandler, type ErrorLog, HttpError } from './http/errors.ts';

/**
 * Classes for `http.createServer` whose objects are born as the app's. Express would change the prototype of every
 * request and response otherwise, which costs each of them, and everybody else too: Node's own functions then meet
 * so many kinds of objects that V8 stops specialising them, a tenth of a proxied call's time.
 */
export function messageClasses(app: Express) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
}

export type AppParts = {
  proxy: RequestHandler;
  requestLog: RequestHandler;
  health: RequestHandler;
  api: RequestHandler;
  setup: RequestHandler;
  connect: RequestHandler;
  sdk: RequestHandler;
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
  app.use(parts.health);
  app.use('/v1', parts.api);
  app.use(parts.connect);
  app.use(parts.sdk);
  app.use(parts.logos);
  app.use(parts.setup);
  app.use(parts.docs);
  app.use(() => {
    throw new HttpError('not_found');
  });
  app.use(createErrorHandler(parts));
  return app;
}
