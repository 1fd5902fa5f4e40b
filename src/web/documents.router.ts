import { readFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import express, { type Request, type Response, type Router } from 'express';
import { matchesIfNoneMatch } from '../http/conditional.ts';
import { sendReference } from '../http/docs.router.ts';
import { referenceInPlaceOfDocuments } from '../http/docs-pages.ts';
import { HttpError } from '../http/errors.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { getRequestContext } from '../http/request-context.ts';
import { MANIFEST, type SiteManifest, siteManifest } from './documents/manifest.ts';

/** Where `npm run build:docs` puts the site; nothing of it is committed. */
const DOCUMENTS_DIST = resolve(import.meta.dirname, '../../site/dist');
const ROUTE = '/docs';
const COMMAND = 'npm run build:docs';
/** The largest page by far has one megabyte. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
};

type SiteFile = SiteManifest['files'][string];
type Site = { readonly files: ReadonlyMap<string, SiteFile>; readonly policy: string };

const decompress = promisify(brotliDecompress);

/**
 * The documents as a site under `/docs`, from the files that were built. The addresses are those of the manifest and no others, so
 * that no path of a caller ever names a file. Without a build `/docs` is the API reference, and says
 * what to run.
 */
export function createDocumentsRouter({ directory = DOCUMENTS_DIST }: { directory?: string } = {}): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  let site: Promise<Site> | undefined;

  /** Read at the first request: most gateways are never asked. */
  function openSite(): Promise<Site | undefined> {
    site ??= readSite(directory);
    return site.catch(() => {
      // It may be built while the gateway runs.
      site = undefined;
      return undefined;
    });
  }

  router.get('/docs/', (_request, response) => response.redirect(308, '../docs'));
  const answer = async (request: Request, response: Response): Promise<void> => {
    getRequestContext(response).route = ROUTE;
    const opened = await openSite();
    const address = request.path.slice('/docs/'.length);
    if (opened === undefined) return answerUnbuilt(address, response);
    const found = opened.files.get(address);
    if (found !== undefined) return sendFile(request, response, { directory, found, address, site: opened });
    const missing = opened.files.get('404');
    if (missing === undefined || !request.accepts('html')) throw new HttpError('not_found');
    response.status(404);
    return sendFile(request, response, { directory, found: missing, address: '404', site: opened });
  };

  router.get('/docs', answer);
  router.all(['/docs', '/docs/'], refuseOtherMethods(ROUTE, ['GET']));
  // No route: Express would answer OPTIONS of every address below it, of those that are not there too.
  router.use((request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return isRead && request.path.startsWith('/docs/') ? answer(request, response) : next();
  });
  return router;
}

async function readSite(directory: string): Promise<Site> {
  const manifest = siteManifest.parse(JSON.parse(await readFile(join(directory, MANIFEST), 'utf8')));
  return { files: new Map(Object.entries(manifest.files)), policy: policyOf(manifest) };
}

/** Nothing from elsewhere. The search is a WebAssembly module of our own; blocks of code carry their colours in `style`. */
function policyOf({ scripts }: SiteManifest): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${scripts.map((hash) => `'${hash}'`).join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

type Served = {
  readonly directory: string;
  readonly found: SiteFile;
  readonly address: string;
  readonly site: Site;
};

async function sendFile(request: Request, response: Response, served: Served): Promise<void> {
  const { directory, found, address, site } = served;
  const isCompressed = found.file.endsWith('.br');
  const keepsEncoding = isCompressed && request.acceptsEncodings(['br', 'identity']) === 'br';
  const name = isCompressed ? found.file.slice(0, -'.br'.length) : found.file;
  const etag = `"${found.etag}${keepsEncoding ? '-br' : ''}"`;
  response.set({
    ...fieldsOf(address, extname(name), site),
    ETag: etag,
    ...(isCompressed && { Vary: 'Accept-Encoding' }),
  });
  if (response.statusCode === 200 && matchesIfNoneMatch(request, etag))
    return void response.status(304).end();
  const stored = await readFile(join(directory, found.file));
  const bytes =
    isCompressed && !keepsEncoding ? await decompress(stored, { maxOutputLength: FILE_BYTES_MAX }) : stored;
  if (keepsEncoding) response.set('Content-Encoding', 'br');
  response.set('Content-Length', String(bytes.length));
  response.end(bytes);
}

function fieldsOf(address: string, extension: string, { policy }: Site): Record<string, string> {
  return {
    'Content-Type': CONTENT_TYPES[extension] ?? 'application/octet-stream',
    // Names below _astro/ change with their content.
    'Cache-Control': address.startsWith('_astro/')
      ? 'public, max-age=31536000, immutable'
      : 'public, no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    ...(extension === '.html' && {
      'Content-Security-Policy': policy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'X-Frame-Options': 'DENY',
    }),
  };
}

function answerUnbuilt(address: string, response: Response): void {
  if (address !== '')
    throw new HttpError('not_found', {
      detail: `The documents are not built here: run \`${COMMAND}\` in the gateway's folder.`,
    });
  sendReference(response, referenceInPlaceOfDocuments(COMMAND));
}
