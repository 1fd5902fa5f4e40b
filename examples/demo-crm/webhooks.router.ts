import express, { type Request, type Response, type Router } from 'express';
import { z } from 'zod';
import { CrmError } from './crm-errors.ts';
import type { OAuthStore } from './oauth-store.ts';
import { parseInput } from './parse-input.ts';
import { SUBSCRIPTION_TYPES, type Subscription, type WebhookApp, type WebhookApps } from './webhook-apps.ts';

const settings = z.object({ targetUrl: z.string() });
const subscription = z.object({
  eventType: z.enum(SUBSCRIPTION_TYPES),
  propertyName: z.string().min(1).optional(),
  active: z.boolean().optional(),
});

/**
 * Target URL and subscriptions of an app, as HubSpot's webhooks API v3 has them
 * (https://developers.hubspot.com/docs/api-reference/legacy/webhooks). The app is named by its client id, and proves
 * itself by HTTP Basic with its client secret, in the place of HubSpot's developer key.
 */
export function createWebhooksRouter({ store, apps }: { store: OAuthStore; apps: WebhookApps }): Router {
  const router = express.Router();

  function authenticate(req: Request, res: Response): WebhookApp {
    const clientId = String(req.params.clientId);
    const expected = Buffer.from(`${clientId}:${store.client(clientId)?.clientSecret}`).toString('base64');
    if (store.client(clientId) === undefined || req.headers.authorization !== `Basic ${expected}`) {
      res.set('WWW-Authenticate', 'Basic realm="demo-crm"');
      throw new CrmError(
        401,
        'INVALID_AUTHENTICATION',
        'Client id and client secret do not belong together.',
      );
    }
    return apps.of(clientId);
  }

  router.get('/:clientId/settings', (req, res) => {
    const { targetUrl } = authenticate(req, res);
    if (targetUrl === undefined) throw new CrmError(404, 'OBJECT_NOT_FOUND', 'The app has no target URL.');
    res.json(presentSettings(targetUrl));
  });

  router.put('/:clientId/settings', (req, res) => {
    const app = authenticate(req, res);
    apps.setTargetUrl(app.clientId, parseInput(settings, req.body).targetUrl);
    res.json(presentSettings(app.targetUrl));
  });

  router.delete('/:clientId/settings', (req, res) => {
    apps.setTargetUrl(authenticate(req, res).clientId, undefined);
    res.status(204).end();
  });

  router.get('/:clientId/subscriptions', (req, res) => {
    res.json({ results: authenticate(req, res).subscriptions.map(presentSubscription) });
  });

  router.post('/:clientId/subscriptions', (req, res) => {
    const { clientId } = authenticate(req, res);
    res.status(201).json(presentSubscription(apps.subscribe(clientId, parseInput(subscription, req.body))));
  });

  router.delete('/:clientId/subscriptions/:subscriptionId', (req, res) => {
    const { clientId } = authenticate(req, res);
    if (!apps.unsubscribe(clientId, Number(req.params.subscriptionId)))
      throw new CrmError(404, 'OBJECT_NOT_FOUND', 'The app has no such subscription.');
    res.status(204).end();
  });

  return router;
}

function presentSettings(targetUrl: string | undefined) {
  return { targetUrl, throttling: { maxConcurrentRequests: 1, period: 'SECONDLY' } };
}

function presentSubscription({ id, eventType, propertyName, active, createdAt }: Subscription) {
  const shown = propertyName === undefined ? {} : { propertyName };
  return { id: String(id), eventType, ...shown, active, createdAt: createdAt.toISOString() };
}
