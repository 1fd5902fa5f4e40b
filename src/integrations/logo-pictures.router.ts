import express, { type Router } from 'express';
import { LRUCache } from 'lru-cache';
import { maskToNetwork } from '../http/client-address.ts';
import { matchesIfNoneMatch } from '../http/conditional.ts';
import { refuseMethod } from '../http/other-methods.ts';
import { spendRequest } from '../http/rate-limits.ts';
import { getRequestContext } from '../http/request-context.ts';
import { isUuid } from '../lib/ids.ts';
import type { RateLimiter } from '../lib/rate-limit.ts';
import type { StoredLogo } from './integration-logos.store.ts';

const HASH = /^[A-Za-z0-9_-]{22}$/;
const MEMORY_BYTES_MAX = 8 * 1024 * 1024;
/** A logo that has been removed may be seen for that long. */
const REMEMBERED_MS = 60_000;
const CACHED_SECONDS = 86_400;

/**
 * `/logos/integrations/<id>/<hash>`: the logo that an operator gave an integration, for any page on any origin. The address
 * cannot be guessed, and another logo has another one.
 */
export function createLogoPicturesRouter(deps: {
  findLogo(id: string, hash: string): Promise<StoredLogo | undefined>;
  /** Per client address, of the logos that are not in memory. */
  limiter: RateLimiter;
}): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const remembered = new LRUCache<string, StoredLogo>({
    maxSize: MEMORY_BYTES_MAX,
    sizeCalculation: ({ content }) => content.length + 200,
    ttl: REMEMBERED_MS,
  });

  router.all('/logos/integrations/:id/:hash', async (request, response, next) => {
    getRequestContext(response).route = '/logos/integrations';
    const { id, hash } = request.params;
    if (!isUuid(id) || !HASH.test(hash)) return next();
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuseMethod(request, response, ['GET']);
    const key = `${id} ${hash}`;
    const held = remembered.get(key);
    if (held === undefined)
      spendRequest(deps.limiter, `address:${maskToNetwork(request.ip ?? 'unknown')}`, response);
    const logo = held ?? (await deps.findLogo(id, hash));
    if (logo === undefined) return next();
    remembered.set(key, logo, { noUpdateTTL: true });
    const etag = `"${hash}"`;
    response.set({
      ETag: etag,
      'Cache-Control': `public, max-age=${CACHED_SECONDS}`,
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
      // Opened by itself it may do nothing at all, whatever a browser takes it for.
      'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
    if (matchesIfNoneMatch(request, etag)) return response.status(304).end();
    response.set({ 'Content-Type': logo.mediaType, 'Content-Length': String(logo.content.length) });
    return response.end(logo.content);
  });
  return router;
}
