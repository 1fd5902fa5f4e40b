import { createHash } from 'node:crypto';
import express, { type RequestHandler, type Router } from 'express';
import type { Catalog } from '../catalog/loading/catalog.ts';
import { readLogos, renderLogo } from '../catalog/loading/logos.ts';
import { oncePerCatalog } from '../catalog/loading/replaceable-catalog.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { getRequestContext } from '../http/request-context.ts';
import { sendStaticAsset } from '../http/static-asset.ts';
import { POPULAR_PROVIDERS } from './popular-providers.ts';

const ROUTE = '/catalog';
/** Leads to the file of the catalog that this gateway has now. */
const CURRENT = '/catalog.json';

/**
 * The catalog as the dashboard reads it, a file whose name changes with its content: every provider in brief, which are
 * popular, and the logos of these. Nothing of it is a secret, so it is compressed.
 */
export function createCatalogFileRouter(deps: {
  readonly catalog: Pick<Catalog, 'find' | 'ids'>;
  readBuiltIn(): Promise<string>;
}): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const file = oncePerCatalog(deps.catalog, async () => makeFile(Buffer.from(await writeCatalog(deps))));
  router.get(CURRENT, async (_request, response) => {
    getRequestContext(response).route = ROUTE;
    response.set({ 'Cache-Control': 'no-cache', Location: (await file()).path });
    response.status(302).end();
  });
  router.get(`${ROUTE}/:name`, async (request, response, next) => {
    const { path, send } = await file();
    if (request.path !== path) return next();
    getRequestContext(response).route = ROUTE;
    return send(request, response, next);
  });
  router.all([CURRENT, `${ROUTE}/:name`], refuseOtherMethods(ROUTE, ['GET']));
  return router;
}

async function writeCatalog({ catalog, readBuiltIn }: Parameters<typeof createCatalogFileRouter>[0]) {
  const providers = await readBuiltIn();
  const shapes = readLogos();
  const popular = POPULAR_PROVIDERS.flatMap((id) => catalog.find(id) ?? []);
  // One that has a logo elsewhere is shown with that.
  const drawn = popular.filter(({ logoUrl }) => logoUrl === undefined);
  const logos = Object.fromEntries(drawn.map((provider) => [provider.id, renderLogo(provider, shapes)]));
  const head = JSON.stringify({ popular: popular.map(({ id }) => id), logos }).slice(0, -1);
  return `${head},"providers":[${providers}]}`;
}

function makeFile(content: Buffer): { readonly path: string; readonly send: RequestHandler } {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16);
  return {
    path: `${ROUTE}/${hash}.json`,
    send: sendStaticAsset({
      content: () => content,
      contentType: 'application/json; charset=utf-8',
      headers: {
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Cross-Origin-Resource-Policy': 'same-origin',
      },
    }),
  };
}
