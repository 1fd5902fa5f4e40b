import { z } from 'zod';

/** Beside the files of the built site. */
export const MANIFEST = 'site.json';

/** What a build of the documents holds. `npm run build:docs` writes it, the gateway reads it. */
export const siteManifest = z.strictObject({
  /** Hashes of the scripts within pages, for their Content-Security-Policy. */
  scripts: z.array(z.string().regex(/^sha256-[A-Za-z0-9+/=]{44}$/)),
  /** By address below `/docs`; the empty one is the front page. A file that ends in `.br` is compressed. */
  files: z.record(z.string(), z.strictObject({ file: z.string(), etag: z.string() })),
});

export type SiteManifest = z.infer<typeof siteManifest>;
