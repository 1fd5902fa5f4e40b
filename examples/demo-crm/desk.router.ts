import express, { type Router } from 'express';
import type { AccountDesk } from './account-desk.ts';
import { CONTACT_ACTIONS } from './contact-actions.ts';
import { CrmError } from './crm-errors.ts';
import { renderDeskPage } from './desk-page.ts';
import { HUBS } from './hubs.ts';
import type { OAuthStore } from './oauth-store.ts';
import { renderErrorPage } from './pages.ts';
import type { WebhookApps } from './webhook-apps.ts';
import type { WebhookSender } from './webhook-sender.ts';

type DeskDeps = {
  readonly publicUrl: string;
  readonly store: OAuthStore;
  readonly desk: AccountDesk;
  readonly apps: WebhookApps;
  readonly sender: WebhookSender;
};

/** The CRM's own page: buttons that change contacts, and where apps have their changes sent. Forms, no scripts. */
export function createDeskRouter(deps: DeskDeps): Router {
  const { publicUrl, store, desk, apps, sender } = deps;
  const router = express.Router();

  router.get('/', (_req, res) => {
    const accounts = HUBS.map((hub) => ({
      hub,
      latest: desk.latestOf(hub.id),
      hasTimer: desk.hasTimer(hub.id),
    }));
    const clients = store.clients().map((client) => ({ client, app: apps.of(client.clientId) }));
    res.send(renderDeskPage({ publicUrl, accounts, clients, attempts: sender.attempts.toReversed() }));
  });

  router.use('/desk', refuseOtherSites, express.urlencoded({ extended: false, limit: '8kb' }));

  router.post('/desk/accounts/:hubId/:action', (req, res) => {
    const hub = HUBS.find(({ id }) => String(id) === req.params.hubId);
    const action = CONTACT_ACTIONS.find((known) => known === req.params.action);
    if (hub && action) desk.act(hub.id, action);
    else if (hub && req.params.action === 'timer') desk.toggleTimer(hub.id);
    res.redirect(303, '/');
  });

  router.post('/desk/apps/:clientId/target', (req, res) => {
    const { clientId } = req.params;
    if (store.client(clientId) === undefined)
      throw new CrmError(404, 'OBJECT_NOT_FOUND', 'There is no such app.');
    const given: unknown = req.body?.targetUrl;
    const targetUrl = typeof given === 'string' && given.trim() !== '' ? given.trim() : undefined;
    apps.setTargetUrl(clientId, targetUrl);
    if (targetUrl !== undefined) apps.subscribeToAll(clientId);
    res.redirect(303, '/');
  });

  router.post('/desk/apps/:clientId/pause', (req, res) => {
    const app = apps.of(req.params.clientId);
    app.isPaused = !app.isPaused;
    res.redirect(303, '/');
  });

  router.use('/desk', answerFault);
  return router;
}

/** A form of another site must not change contacts, and browsers say where a request comes from. */
const refuseOtherSites: express.RequestHandler = (req, res, next) => {
  const site = req.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') next();
  else
    res.status(403).send(renderErrorPage('other_site', 'Press the buttons on the page of the CRM itself.'));
};

const answerFault: express.ErrorRequestHandler = (thrown, _req, res, next) => {
  if (thrown instanceof CrmError) {
    res.status(thrown.status).send(renderErrorPage(thrown.category, thrown.message));
  } else next(thrown);
};
