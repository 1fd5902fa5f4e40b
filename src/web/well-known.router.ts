import express, { type Router } from 'express';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { getRequestContext } from '../http/request-context.ts';

const PATH = '/.well-known/integration-gateway';

/**
 * The addresses of this gateway (RFC 8615), for clients that know only one of them: any page on any origin may ask, since
 * they are no secret. `proxyUrl` is another origin than `publicUrl` where the operator has given the proxy one.
 */
export function createWellKnownRouter(addresses: {
  readonly publicUrl: string;
  readonly proxyUrl: string | undefined;
}): Router {
  const { publicUrl, proxyUrl = publicUrl } = addresses;
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get(PATH, (_request, response) => {
    getRequestContext(response).route = PATH;
    response.set({
      'Access-Control-Allow-Origin': '*',
      // An operator who moves the proxy is followed the same hour.
      'Cache-Control': 'public, max-age=300',
    });
    response.json({ publicUrl, apiUrl: `${publicUrl}/v1`, proxyUrl });
  });
  router.all(PATH, refuseOtherMethods(PATH, ['GET']));
  return router;
}
