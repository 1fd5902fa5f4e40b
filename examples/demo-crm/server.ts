import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';
import { startListening } from '../listening-server.ts';
import { type AccountDesk, createAccountDesk } from './account-desk.ts';
import {
  type ApiRateLimits,
  answerUnknownRoute,
  createApiErrorHandler,
  createApiGuard,
} from './api-guard.ts';
import type { ContactAction } from './contact-actions.ts';
import type { Contact } from './contact-book.ts';
import { createContactsRouter } from './contacts.router.ts';
import { createStats, type DemoCrmStats } from './demo-crm-stats.ts';
import { createDeskRouter } from './desk.router.ts';
import { createDirectAccess, createSessionsRouter } from './direct-access.ts';
import { findUserById } from './hubs.ts';
import { createInteractionsRouter } from './interactions.router.ts';
import { createOAuthServer } from './oauth-server.ts';
import { createOAuthStore, type DemoCrmClient, type OAuthStore } from './oauth-store.ts';
import { describeApi } from './openapi.ts';
import { createTokenInfoRouter } from './token-info.router.ts';
import { createWebhookApps, type WebhookApps } from './webhook-apps.ts';
import { createWebhookSender, type WebhookAttempt, type WebhookSender } from './webhook-sender.ts';
import { createWebhooksRouter } from './webhooks.router.ts';

export type DemoCrmOptions = {
  /** 0 takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** Address by which browsers and clients reach the server, if not the one it listens on. No trailing slash. */
  readonly publicUrl?: string;
  readonly clients: readonly DemoCrmClient[];
  /** Seeded contacts of each hub. */
  readonly contacts?: number;
  readonly accessTokenLifetimeSeconds?: number;
  readonly rateLimits?: ApiRateLimits;
  /** How long webhooks wait before each further try. */
  readonly webhookRetryDelaysMs?: readonly number[];
  readonly now?: () => Date;
  readonly log?: (line: string) => void;
};

export type DemoCrm = {
  readonly url: string;
  readonly stats: DemoCrmStats;
  /** Registers another OAuth client, or replaces one, while the server runs. */
  readonly addClient: (client: DemoCrmClient) => void;
  /** Every access token issued so far answers 401 from now on. Returns how many were still alive. */
  readonly expireAccessTokens: () => number;
  /** As if users had removed the app, in one hub or in all: access tokens are unknown, refreshing gives invalid_grant. */
  readonly revokeGrants: (hubId?: number) => number;
  /** Sends every change of contacts to `targetUrl` from now on, as the client's settings say; undefined stops it. */
  readonly sendWebhooksTo: (clientId: string, targetUrl: string | undefined) => void;
  /** The latest tries to send a batch, oldest first. */
  readonly webhookAttempts: readonly WebhookAttempt[];
  /** Does something to a contact of the hub, as one of its people would. */
  readonly act: (hubId: number, action: ContactAction) => Contact | undefined;
  readonly close: () => Promise<void>;
};

const DEFAULT_LIMITS: ApiRateLimits = { perTenSeconds: 1000, perDay: 1_000_000 };

/** Starts a CRM with an OAuth 2.0 authorization server and HubSpot's contacts API. Everything is kept in memory. */
export async function startDemoCrm(options: DemoCrmOptions): Promise<DemoCrm> {
  const { server, close, ...own } = await startListening(options);
  const url = options.publicUrl ?? own.url;
  const store = createOAuthStore(options);
  const stats = createStats();
  const { now = () => new Date(), log = () => undefined, webhookRetryDelaysMs: retryDelaysMs } = options;
  const apps = createWebhookApps({ now });
  const sender = createWebhookSender({ apps, store, now, log, retryDelaysMs });
  const desk = createAccountDesk({ contacts: options.contacts ?? 10_000, now, onChange: sender.tell });
  server.on('request', createApp({ options, publicUrl: url, store, stats, apps, sender, desk }));
  return {
    url,
    stats,
    addClient: store.addClient,
    expireAccessTokens: store.expireAccessTokens,
    revokeGrants: (hubId) =>
      store.revokeGrants((accountId) => hubId === undefined || findUserById(accountId)?.hub.id === hubId),
    sendWebhooksTo: (clientId, targetUrl) => {
      apps.setTargetUrl(clientId, targetUrl);
      if (targetUrl !== undefined) apps.subscribeToAll(clientId);
    },
    webhookAttempts: sender.attempts,
    act: desk.act,
    close: () => {
      desk.stop();
      sender.stop();
      return close();
    },
  };
}

type AppDeps = {
  readonly options: DemoCrmOptions;
  readonly publicUrl: string;
  readonly store: OAuthStore;
  readonly stats: DemoCrmStats;
  readonly apps: WebhookApps;
  readonly sender: WebhookSender;
  readonly desk: AccountDesk;
};

function createApp({ options, publicUrl, store, stats, apps, sender, desk }: AppDeps): Express {
  const { accessTokenLifetimeSeconds = 1800, rateLimits = DEFAULT_LIMITS } = options;
  const { now = () => new Date(), log = () => undefined } = options;
  const provider = createOAuthServer({ publicUrl, store, accessTokenLifetimeSeconds, stats, log });
  const direct = createDirectAccess();
  const guard = createApiGuard({ store, direct, stats, limits: rateLimits, now });

  const app = express();
  app.disable('x-powered-by');
  app.use(sendSecurityHeaders);
  app.use('/assets', express.static(fileURLToPath(new URL('./public', import.meta.url))));
  app.get('/openapi.json', (_req, res) => {
    res.json(describeApi(publicUrl));
  });
  app.use(createDeskRouter({ publicUrl, store, desk, apps, sender }));
  const secureCookies = publicUrl.startsWith('https:');
  app.use('/oauth/interaction', createInteractionsRouter({ provider, store, secureCookies }));
  app.use('/oauth', createTokenInfoRouter({ store, apps, now }));
  app.use('/oauth', createOAuthHandler(provider.callback()));
  app.use(createSessionsRouter(direct));
  app.use('/webhooks/v3', express.json(), createWebhooksRouter({ store, apps }));
  app.use(guard.count, express.json({ limit: '1mb' }));
  app.use(createContactsRouter({ guard, bookOf: desk.bookOf, publicUrl, now }));
  app.use(answerUnknownRoute);
  app.use(createApiErrorHandler(log));
  return app;
}

/**
 * oidc-provider without its own idea of who is signed in (the interaction pages know that), and its token endpoint
 * under HubSpot's path too, which the official client has built in.
 */
function createOAuthHandler(
  handle: ReturnType<ReturnType<typeof createOAuthServer>['callback']>,
): express.RequestHandler {
  return (req, res) => {
    req.headers.cookie = (req.headers.cookie ?? '')
      .split(';')
      .filter((pair) => !/^\s*crm_oauth(\.sig)?=/.test(pair))
      .join(';');
    if (req.url === '/v1/token') req.url = '/token';
    handle(req, res);
  };
}

/** No `form-action`: browsers apply it to the redirect that follows a form, and that one leads back to the app. */
const sendSecurityHeaders: express.RequestHandler = (_req, res, next) => {
  res.set({
    'Content-Security-Policy':
      "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
  next();
};
