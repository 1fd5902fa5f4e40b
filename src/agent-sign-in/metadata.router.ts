import express, { type RequestHandler, type Response, type Router } from 'express';
import { maskToNetwork } from '../http/client-address.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { spendRequest } from '../http/rate-limits.ts';
import { getRequestContext } from '../http/request-context.ts';
import { isUuid } from '../lib/ids.ts';
import type { RateLimiter } from '../lib/rate-limit.ts';
import type { Addresses } from './addresses.ts';

const RESOURCE_PATH = '/.well-known/oauth-protected-resource/projects/:projectId/mcp';
/** RFC 8414 section 3.1, and the order in which clients try (issuer with a path): OpenID's two forms as well. */
const SERVER_PATHS = [
  '/.well-known/oauth-authorization-server/agents',
  '/.well-known/openid-configuration/agents',
  '/agents/.well-known/openid-configuration',
];
const SERVER_OF_PROJECT_PATHS = [
  '/.well-known/oauth-authorization-server/agents/:projectId',
  '/.well-known/openid-configuration/agents/:projectId',
  '/agents/:projectId/.well-known/openid-configuration',
];

export type MetadataDependencies = {
  readonly addresses: Addresses;
  findAgentSignIn(projectId: string): Promise<{ readonly dynamicRegistration: boolean } | null>;
  /** Per client address. */
  readonly limiter?: RateLimiter | undefined;
};

/** What clients read before they sign in. None of it is secret; of a project, whether clients may register is looked up. */
export function createMetadataRouter({ addresses, findAgentSignIn, limiter }: MetadataDependencies): Router {
  const router = express.Router({ caseSensitive: true });

  const ofProject =
    (
      path: string,
      describe: (id: string, takesClients: boolean | undefined) => object | undefined,
    ): RequestHandler =>
    async (request, response, next) => {
      const id = String(request.params.projectId).toLowerCase();
      if (!isUuid(id)) return next();
      getRequestContext(response).route = path.replace(':projectId', '{projectId}');
      if (limiter) spendRequest(limiter, `address:${maskToNetwork(request.ip ?? 'unknown')}`, response);
      const document = describe(id, (await findAgentSignIn(id))?.dynamicRegistration);
      if (document === undefined) return next();
      send(response, document);
    };

  router.get(
    RESOURCE_PATH,
    ofProject(RESOURCE_PATH, (id, takesClients = false) => addresses.describeResource(id, { takesClients })),
  );
  router.all(RESOURCE_PATH, refuseOtherMethods(RESOURCE_PATH, ['GET']));
  for (const path of SERVER_OF_PROJECT_PATHS) {
    const describe = ofProject(path, (id, takesClients) =>
      takesClients === undefined ? undefined : addresses.describeServer({ id, takesClients }),
    );
    router.get(path, describe);
    router.all(path, refuseOtherMethods(path.replace(':projectId', '{projectId}'), ['GET']));
  }
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
  });
  response.json(document);
}
