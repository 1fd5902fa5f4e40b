import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type RequestHandler } from 'express';
import { HttpError } from '../../http/errors.ts';
import { matchHost } from '../../proxy/origin.ts';
import { prepareWebhookResponse } from '../message/response.ts';

type Listener = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** The proxy, which does not answer on the webhooks' own host. Without one it is the proxy itself. */
export function keepOffWebhookHost(webhookUrl: string | undefined, proxy: Listener): Listener {
  if (webhookUrl === undefined) return proxy;
  const isWebhookHost = matchHost(webhookUrl);
  return (request, response, next) => {
    if (isWebhookHost(request.rawHeaders)) next();
    else proxy(request, response, next);
  };
}

/** Answers webhooks, and nothing else, on their own host; other hosts go to `next`. */
export function respondOnWebhookHost(
  webhookUrl: string,
  handlers: readonly RequestHandler[],
): RequestHandler {
  const isWebhookHost = matchHost(webhookUrl);
  const router = express.Router({ caseSensitive: true });
  router.use(prepareWebhookResponse);
  router.use('/webhooks', ...handlers);
  router.use(() => {
    throw new HttpError('not_found', { detail: 'Only webhooks are received on this origin.' });
  });
  return (request, response, next) => {
    if (isWebhookHost(request.rawHeaders)) router(request, response, next);
    else next();
  };
}
