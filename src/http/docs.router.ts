import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type Router } from 'express';
import { matchesIfNoneMatch } from './conditional.ts';
import { DOCS_STYLE, errorsPage, referencePage } from './docs-pages.ts';
import { html, raw, sendPage } from './html.ts';
import type { Json } from './openapi-schemas.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { contextOf } from './request-context.ts';

/** The files of Swagger UI that the reference page loads; the rest of the package is not served. */
const ASSETS = ['swagger-ui-bundle.js', 'swagger-ui.css'];

/**
 * `/openapi.json` (with an ETag), `/docs` (the reference, rendered by Swagger UI from our own origin, so it works
 * offline), to which the bare address leads, and `/docs/errors`, where the `type` of every problem leads.
 */
export function createDocsRouter(deps: { document: Json }): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const text = JSON.stringify(deps.document);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;

  router.use((request, response, next) => {
    if (/^\/((openapi\.json|docs)(\/|$)|$)/.test(request.path)) contextOf(response).route = '/docs';
    next();
  });
  router.get('/openapi.json', (request, response) => {
    // Public and the same for everybody: tools on other origins may read it.
    response.set({ ETag: etag, 'Cache-Control': 'public, no-cache', 'Access-Control-Allow-Origin': '*' });
    if (matchesIfNoneMatch(request, etag)) return response.status(304).end();
    return response.set('Content-Type', 'application/json; charset=utf-8').end(text);
  });
  // Whoever opens the gateway's bare address in a browser.
  router.get('/', (_request, response) => response.redirect(302, 'docs'));
  // Addresses in the pages are relative, so that they hold behind any path prefix; one spelling each.
  router.get('/docs/', (_request, response) => response.redirect(308, '../docs'));
  router.get('/docs/errors/', (_request, response) => response.redirect(308, '../errors'));
  router.get('/docs', (_request, response) => {
    sendPage(response, {
      status: 200,
      title: 'API reference',
      layout: 'wide',
      head: (nonce) => html`<style nonce="${nonce}">${raw(DOCS_STYLE)}</style>
<link rel="stylesheet" href="docs/assets/swagger-ui.css" nonce="${nonce}">`,
      body: (nonce) => referencePage(nonce),
    });
  });
  router.get('/docs/errors', (_request, response) => {
    sendPage(response, {
      status: 200,
      title: 'Errors',
      layout: 'wide',
      head: (nonce) => html`<style nonce="${nonce}">${raw(DOCS_STYLE)}</style>`,
      body: () => errorsPage(),
    });
  });
  const assets = ASSETS.map((name) => `/docs/assets/${name}`);
  router.get(assets, sendAsset());
  const paths = ['/', '/openapi.json', '/docs', '/docs/', '/docs/errors', '/docs/errors/', ...assets];
  router.all(paths, refuseOtherMethods('/docs', ['GET']));
  return router;
}

function sendAsset(): express.RequestHandler {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return (request, response) => {
    response.set('X-Content-Type-Options', 'nosniff');
    response.sendFile(request.path.slice('/docs/assets/'.length), { root, maxAge: '1h' });
  };
}
