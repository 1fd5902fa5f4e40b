import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express, { type Response, type Router } from 'express';
import { AT_TRY, DOCS_STYLE, errorsPage, referencePage } from './docs-pages.ts';
import { html, raw, sendPage } from './html.ts';
import type { Json } from './openapi-schemas.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { getRequestContext } from './request-context.ts';
import { sendStaticAsset } from './static-asset.ts';

/** The files of Swagger UI that the reference page loads; the rest of the package is not served. */
const ASSETS = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
} as const;

/**
 * `/openapi.json` (with an ETag), `/docs/try` (the reference, rendered by Swagger UI from our own origin, so it works
 * offline), and `/docs/errors`, where the `type` of every problem leads. The rest of `/docs` is the built site.
 */
export function createDocsRouter(deps: { readDocument(): Promise<Json> }): Router {
  const router = express.Router({ caseSensitive: true, strict: true });

  router.use((request, response, next) => {
    if (/^\/(openapi\.json|docs)(\/|$)/.test(request.path)) getRequestContext(response).route = '/docs';
    next();
  });
  router.get(
    '/openapi.json',
    sendStaticAsset({
      content: async () => Buffer.from(JSON.stringify(await deps.readDocument())),
      contentType: 'application/json; charset=utf-8',
      // Public, without secrets: tools on other origins may read it.
      headers: { 'Cache-Control': 'public, no-cache', 'Access-Control-Allow-Origin': '*' },
    }),
  );
  // Addresses in the pages are relative, so that they hold behind any path prefix; one spelling each.
  router.get('/docs/try/', (_request, response) => response.redirect(308, '../try'));
  router.get('/docs/errors/', (_request, response) => response.redirect(308, '../errors'));
  router.get('/docs/try', (_request, response) => sendReference(response));
  router.get('/docs/errors', (_request, response) => {
    sendPage(response, {
      status: 200,
      title: 'Errors',
      layout: 'wide',
      head: (nonce) => html`<style nonce="${nonce}">${raw(DOCS_STYLE)}</style>`,
      body: () => errorsPage(),
    });
  });
  for (const [name, contentType] of Object.entries(ASSETS))
    router.get(`/docs/assets/${name}`, sendSwaggerFile(name, contentType));
  const pages = ['/openapi.json', '/docs/try', '/docs/try/', '/docs/errors', '/docs/errors/'];
  const assets = Object.keys(ASSETS).map((name) => `/docs/assets/${name}`);
  router.all([...pages, ...assets], refuseOtherMethods('/docs', ['GET']));
  return router;
}

/** The API reference, by default as `/docs/try` has it. */
export function sendReference(response: Response, place = AT_TRY): void {
  sendPage(response, {
    status: 200,
    title: 'API reference',
    layout: 'wide',
    head: (nonce) => html`<style nonce="${nonce}">${raw(DOCS_STYLE)}</style>
<link rel="stylesheet" href="${place.docs}assets/swagger-ui.css" nonce="${nonce}">`,
    body: (nonce) => referencePage(nonce, place),
  });
}

function sendSwaggerFile(name: string, contentType: string): express.RequestHandler {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return sendStaticAsset({
    content: () => readFile(join(root, name)),
    contentType,
    headers: { 'Cache-Control': 'public, max-age=3600' },
  });
}
