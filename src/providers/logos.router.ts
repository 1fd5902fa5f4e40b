import { createHash } from 'node:crypto';
import express, { type Router } from 'express';
import type { Catalog } from '../catalog/loading/catalog.ts';
import { type Logos, readLogos, renderLogo, renderMonogram } from '../catalog/loading/logos.ts';
import { matchesIfNoneMatch } from '../http/conditional.ts';
import { refuseMethod } from '../http/other-methods.ts';
import { getRequestContext } from '../http/request-context.ts';
import { CUSTOM_PREFIX } from './custom-description.ts';

/**
 * `/logos/<provider>.svg`, for any page on any origin. A project's own providers (`custom:<id>`) have a monogram of
 * their id, whether they exist or not, so that the answer does not reveal what a project has.
 */
export function createLogosRouter(deps: { catalog: Pick<Catalog, 'find'> }): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  let logos: Logos | undefined;

  function logoFor(id: string): string | undefined {
    if (/^custom:[a-z0-9]+(-[a-z0-9]+)*$/.test(id) && id.length <= CUSTOM_PREFIX.length + 40)
      return renderMonogram({ id, name: id.slice(CUSTOM_PREFIX.length) });
    const provider = deps.catalog.find(id);
    if (provider === undefined) return undefined;
    logos ??= readLogos();
    return renderLogo(provider, logos);
  }

  router.all('/logos/:file', (request, response, next) => {
    getRequestContext(response).route = '/logos';
    const [, id] = /^(.+)\.svg$/.exec(request.params.file) ?? [];
    const logo = id === undefined ? undefined : logoFor(id);
    if (logo === undefined) return next();
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuseMethod(request, response, ['GET']);
    const etag = `"${createHash('sha256').update(logo).digest('base64url').slice(0, 22)}"`;
    response.set({
      ETag: etag,
      'Cache-Control': 'public, max-age=604800',
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
      // Opened by itself an SVG is a document of our origin; this one may do nothing at all.
      'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
    if (matchesIfNoneMatch(request, etag)) return response.status(304).end();
    response.set({ 'Content-Type': 'image/svg+xml', 'Content-Length': String(Buffer.byteLength(logo)) });
    return response.end(logo);
  });
  return router;
}
