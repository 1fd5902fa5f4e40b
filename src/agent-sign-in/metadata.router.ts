import express, { type RequestHandler, type Response, type Router } from 'express';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { getRequestContext } from '../http/request-context.ts';
import { isUuid } from '../lib/ids.ts';
import type { Addresses } from './addresses.ts';

const RESOURCE_PATH = '/.well-known/oauth-protected-resource/projects/:projectId/mcp';
/** RFC 8414 section 3.1, and the order in which clients try (issuer with a path): OpenID's two forms as well. */
const SERVER_PATHS = [
  '/.well-known/oauth-authorization-server/agents',
  '/.well-known/openid-configuration/agents',
  '/agents/.well-known/openid-configuration',
];

/** What clients read before they sign in. None of it is secret, and none of it is looked up. */
export function createMetadataRouter(addresses: Addresses): Router {
  const router = express.Router({ caseSensitive: true });
  const describeResource: RequestHandler = (request, response, next) => {
    const projectId = String(request.params.projectId).toLowerCase();
    if (!isUuid(projectId)) return next();
    getRequestContext(response).route = RESOURCE_PATH.replace(':projectId', '{projectId}');
    send(response, addresses.describeResource(projectId));
  };
  router.get(RESOURCE_PATH, describeResource);
  router.all(RESOURCE_PATH, refuseOtherMethods(RESOURCE_PATH, ['GET']));
  for (const path of SERVER_PATHS) {
    router.get(path, (_request, response) => {
      getRequestContext(response).route = path;
      send(response, addresses.describeServer());
    });
    router.all(path, refuseOtherMethods(path, ['GET']));
  }
  return router;
}

function send(response: Response, document: object): void {
  response.set({
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'public, max-age=300',
    'X-Content-Type-Options': 'nosniff',
  });
  response.json(document);
}
