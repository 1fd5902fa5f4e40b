import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import pLimit from 'p-limit';
import { MANIFEST, type SiteManifest } from '../../src/web/documents/manifest.ts';

/** What browsers take compressed; pagefind's own files are so already. */
const COMPRESSED: ReadonlySet<string> = new Set(['.html', '.css', '.js', '.md', '.txt', '.json', '.svg']);
const BROTLI_QUALITY = 7;
const AT_ONCE = 4;

const compress = promisify(brotliCompress);

/**
 * Turns what Astro built into what the gateway serves: every file once, compressed where that helps, and a manifest with the
 * addresses, the tags, and the hashes of the scripts within the pages. Gives back the bytes written.
 */
export async function finishSite(build: string, dist: string): Promise<number> {
  const files: Record<string, { file: string; etag: string }> = {};
  const scripts = new Set<string>();
  const atOnce = pLimit(AT_ONCE);
  const names = readdirSync(build, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(build.length + 1))
    .toSorted();
  const sizes = await Promise.all(
    names.map((name) =>
      atOnce(async () => {
        const content = readFileSync(join(build, name));
        if (name.endsWith('.html'))
          for (const hash of hashInlineScripts(content.toString())) scripts.add(hash);
        const isCompressed = COMPRESSED.has(extname(name));
        const bytes = isCompressed ? await compressText(content) : content;
        const file = isCompressed ? `${name}.br` : name;
        files[addressOf(name)] = { file, etag: digest(content).slice(0, 22) };
        mkdirSync(dirname(join(dist, file)), { recursive: true });
        writeFileSync(join(dist, file), bytes);
        return bytes.length;
      }),
    ),
  );
  const manifest: SiteManifest = { scripts: [...scripts].toSorted(), files };
  writeFileSync(join(dist, MANIFEST), JSON.stringify(manifest));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** `guides/index.html` is at `guides`; the front page has the empty address. */
function addressOf(name: string): string {
  return name.replace(/(^|\/)index\.html$/, '').replace(/\.html$/, '');
}

function digest(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('base64url');
}

async function compressText(content: Buffer): Promise<Buffer> {
  return compress(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
}

/** As a Content-Security-Policy names them. */
function hashInlineScripts(page: string): string[] {
  return [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, text = '']) => `sha256-${createHash('sha256').update(text).digest('base64')}`,
  );
}
