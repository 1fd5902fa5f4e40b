import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import express, { type RequestHandler, type Response, type Router } from 'express';
import { html, sendPage } from '../http/html.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { getRequestContext } from '../http/request-context.ts';
import { sendStaticAsset } from '../http/static-asset.ts';

/** Where `npm run build` puts the application; nothing of it is committed. */
export const DASHBOARD_DIST = resolve(import.meta.dirname, 'dashboard/dist');

/** The addresses of the application's pages: every one is answered with the same document, which finds its page itself. */
const PAGES = [
  '/',
  '/sign-in',
  '/setup',
  '/invitation',
  '/reset-password',
  '/me',
  '/gateway',
  '/p/:projectId{/*rest}',
  '/providers/custom{/*rest}',
];

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What `vite.config.ts` writes wherever an element needs the nonce. */
const NONCE_PLACEHOLDER = /CSP_NONCE/g;
const ROUTE = '/';

/**
 * The dashboard: one document for every page, and its assets under `/assets/`, whose names change with their content.
 * Without a build, the pages say what to run, and so does the log, once.
 */
export function createDashboardRouter(deps: {
  directory?: string;
  /** Where proxied calls go, which the console makes from the page. */
  proxyUrl?: string | undefined;
  log: { warn(fields: object, message: string): void };
}): Router {
  const { directory = DASHBOARD_DIST, proxyUrl, log } = deps;
  const router = express.Router({ caseSensitive: true, strict: true });
  const document = readDocument(directory);
  if (document === undefined)
    log.warn({}, 'the dashboard is not built: run `npm ci && npm run build`, then start the gateway again');
  router.get(PAGES, (request, response, next) => {
    if (!request.accepts('html')) return next();
    getRequestContext(response).route = ROUTE;
    if (document === undefined) sendNotBuilt(response);
    else sendDocument(response, document, proxyUrl);
  });
  router.all(PAGES, refuseOtherMethods(ROUTE, ['GET']));
  if (document !== undefined) serveAssets(router, readAssets(directory));
  return router;
}

function readDocument(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, 'index.html'), 'utf8');
  } catch {
    return undefined;
  }
}

/** By name; those of the build before too, for pages that were open when the gateway was upgraded. */
function readAssets(directory: string): ReadonlyMap<string, RequestHandler> {
  const former = join(directory, 'former');
  const folders = [...(existsSync(former) ? [former] : []), join(directory, 'assets')];
  return new Map(
    folders.flatMap((folder) => readdirSync(folder).map((name) => [name, sendAsset(folder, name)] as const)),
  );
}

function serveAssets(router: Router, assets: ReadonlyMap<string, RequestHandler>): void {
  router.get('/assets/:name', (request, response, next) => {
    const send = assets.get(request.params.name);
    if (send === undefined) return next();
    getRequestContext(response).route = '/assets';
    return send(request, response, next);
  });
  router.all('/assets/:name', refuseOtherMethods('/assets', ['GET']));
}

function sendAsset(directory: string, name: string): RequestHandler {
  // Read now: a build that replaces the folder under a running gateway does not break its pages.
  const content = readFileSync(join(directory, name));
  return sendStaticAsset({
    content: () => content,
    contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
    headers: {
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  });
}

function sendDocument(response: Response, document: string, proxyUrl: string | undefined): void {
  const nonce = randomBytes(16).toString('base64url');
  response.set(documentHeaders(nonce, proxyUrl));
  response.send(document.replace(NONCE_PLACEHOLDER, nonce));
}

/**
 * Scripts and style sheets need the nonce of this very reply; what such a script loads is trusted with it. Pages load
 * nothing from elsewhere, but a project's logo in the preview of its connect page.
 */
function documentHeaders(nonce: string, proxyUrl = ''): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data: https:",
    "font-src 'self'",
    // The preview of a project's connect page.
    "frame-src 'self'",
    `connect-src 'self' ${proxyUrl}`.trim(),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    // The popup in which an operator connects a test account reports back to this page.
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    // It carries a nonce, and names the assets of the version that runs.
    'Cache-Control': 'no-store',
  };
}

function sendNotBuilt(response: Response): void {
  sendPage(response, {
    status: 503,
    title: 'The dashboard is not built',
    body: () => html`<h1>The dashboard is not built</h1>
<p>This gateway runs and answers its API, but it was started without its dashboard. On its server, run:</p>
<p><code>npm ci &amp;&amp; npm run build</code></p>
<p>Then start the gateway again. The <a href="/docs/try">API reference</a> works without it.</p>`,
  });
}
