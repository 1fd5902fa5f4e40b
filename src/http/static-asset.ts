import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { matchesIfNoneMatch } from './conditional.ts';

type StaticAsset = {
  /** Read at the first request. The same for every caller, since the compressed size would leak a secret. */
  readonly content: () => Buffer | Promise<Buffer>;
  readonly contentType: string;
  /** Further fields of every answer, such as `Cache-Control`. */
  readonly headers: Readonly<Record<string, string>>;
};

type Encoding = 'br' | 'gzip' | 'identity';

/** An asset in one encoding, with the tag of just these bytes (RFC 9110 section 8.8.3.3). */
type Variant = { readonly bytes: Buffer; readonly etag: string };

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Nearly as small as the best, for a tenth of its time. */
const BROTLI_QUALITY = 9;

const ENCODERS: Readonly<Record<Encoding, (content: Buffer) => Buffer | Promise<Buffer>>> = {
  br: (content) =>
    compressBrotli(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gzip: (content) => compressGzip(content, { level: 9 }),
  identity: (content) => content,
};

/** What a cache and a browser fetch; the first is what most of them get. */
const ENCODINGS = Object.keys(ENCODERS);

/**
 * Answers GET and HEAD with a file in the encoding that the caller prefers. Each encoding is made once, in a thread of
 * the pool, and kept in memory.
 */
export function sendStaticAsset(asset: StaticAsset): RequestHandler {
  const variants = new Map<Encoding, Promise<Variant>>();

  function variantIn(encoding: Encoding): Promise<Variant> {
    const known = variants.get(encoding);
    if (known !== undefined) return known;
    const made = makeVariant(asset, encoding);
    variants.set(encoding, made);
    // A file that could not be read may be there the next time.
    made.catch(() => variants.delete(encoding));
    return made;
  }

  return async (request, response) => {
    const accepted = request.acceptsEncodings(ENCODINGS);
    const encoding = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
    const { bytes, etag } = await variantIn(encoding);
    response.set({
      ...asset.headers,
      ETag: etag,
      Vary: 'Accept-Encoding',
    });
    if (matchesIfNoneMatch(request, etag)) return void response.status(304).end();
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.set({ 'Content-Type': asset.contentType, 'Content-Length': String(bytes.length) });
    response.end(bytes);
  };
}

async function makeVariant(asset: StaticAsset, encoding: Encoding): Promise<Variant> {
  const content = await asset.content();
  const bytes = await ENCODERS[encoding](content);
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return { bytes, etag: encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"` };
}
