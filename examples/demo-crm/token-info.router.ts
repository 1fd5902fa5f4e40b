import express, { type Router } from 'express';
import { CrmError } from './crm-errors.ts';
import { findUserById } from './hubs.ts';
import type { OAuthStore } from './oauth-store.ts';
import { splitScopes } from './scopes.ts';
import type { WebhookApps } from './webhook-apps.ts';

type TokenInfoDeps = { readonly store: OAuthStore; readonly apps: WebhookApps; readonly now: () => Date };

/**
 * HubSpot's token information, which needs no credential beside the token itself
 * (https://developers.hubspot.com/docs/api-reference/auth-oauth-v1).
 */
export function createTokenInfoRouter({ store, apps, now }: TokenInfoDeps): Router {
  const router = express.Router();

  router.get('/v1/access-tokens/:token', (req, res) => {
    const { token } = req.params;
    const stored = store.accessToken(token);
    const expiresInSeconds = Math.floor((stored?.exp ?? 0) - now().getTime() / 1000);
    if (!stored || expiresInSeconds <= 0) throw unknownToken();
    const { appId } = apps.of(stored.clientId ?? '');
    res.json({
      ...accountOf(stored),
      token,
      token_type: 'access',
      expires_in: expiresInSeconds,
      app_id: appId,
    });
  });

  router.get('/v1/refresh-tokens/:token', (req, res) => {
    const { token } = req.params;
    const stored = store.refreshToken(token);
    if (!stored || stored.consumed !== undefined) throw unknownToken();
    res.json({ ...accountOf(stored), token, token_type: 'refresh', client_id: stored.clientId });
  });

  return router;
}

function accountOf({ accountId, scope }: { accountId?: string; scope?: string }) {
  const user = findUserById(accountId ?? '');
  if (!user) throw unknownToken();
  const { id, email, hub } = user;
  return { hub_id: hub.id, hub_domain: hub.domain, user: email, user_id: id, scopes: splitScopes(scope) };
}

function unknownToken(): CrmError {
  return new CrmError(404, 'OBJECT_NOT_FOUND', 'This token is not known, or no longer valid.');
}
