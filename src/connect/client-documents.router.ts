import express, { type Router } from 'express';
import { buildDocumentUrl } from '../credentials/mcp-servers/server-clients.ts';
import { maskToNetwork } from '../http/client-address.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { spendRequest } from '../http/rate-limits.ts';
import { getRequestContext } from '../http/request-context.ts';
import type { Integration } from '../integrations/integration.ts';
import { isUuid } from '../lib/ids.ts';
import type { RateLimiter } from '../lib/rate-limit.ts';
import { type ClientDescription, metadataDocument } from '../oauth/client-registration.ts';

const PATH = '/oauth/clients/:integrationId';
/** As long as a new name of the project may take to show; the redirect URI never changes. */
const MAX_AGE_SECONDS = 3_600;

/**
 * Serves the client id metadata documents (draft-ietf-oauth-client-id-metadata-document) of integrations of MCP servers.
 * Public, since authorization servers read them: they hold what every authorization request shows.
 */
export function createClientDocumentsRouter(deps: {
  findIntegration(id: string): Promise<Integration | undefined>;
  describe(integration: Integration): Promise<ClientDescription>;
  /** Counts requests by address; left out: no limit. */
  limiter?: RateLimiter;
  publicUrl: string;
}): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get(PATH, async (request, response) => {
    getRequestContext(response).route = PATH;
    if (deps.limiter)
      spendRequest(deps.limiter, `address:${maskToNetwork(request.ip ?? 'unknown')}`, response);
    const id = String(request.params.integrationId);
    const integration = isUuid(id) ? await deps.findIntegration(id) : undefined;
    response.set('Access-Control-Allow-Origin', '*');
    if (integration === undefined || !integration.hasOwnCallback || id !== integration.id) {
      response.status(404).set('Cache-Control', 'public, max-age=60').json({ error: 'not_found' });
      return;
    }
    response.set('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    response.json(metadataDocument(buildDocumentUrl(deps.publicUrl, id), await deps.describe(integration)));
  });
  router.all(PATH, refuseOtherMethods('/oauth/clients/{integrationId}', ['GET']));
  return router;
}
