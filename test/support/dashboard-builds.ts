import type { BrowserContext } from 'playwright-core';

const ASSET = /^\/assets\/.+-[\w-]{8}(?:\.build\d+)?\.(js|css)$/;
const PAGE = /^\/(p\/.*|me)?$/;
const NAME = /((?:assets|\.)\/[\w.-]+?-[\w-]{8})\.(js|css)\b/g;

type Built = { readonly contentType: string; readonly text: string };

/** What assets hold, which changes in no test: by their address without a build. */
const assets = new Map<string, Promise<Built>>();

/**
 * What gives the dashboard another build in this context, again and again: every asset gets another name, as by a build of
 * other sources, and those of the build before are answered 404.
 */
export async function replaceBuilds(context: BrowserContext): Promise<() => void> {
  let build = 0;
  const suffix = () => (build === 0 ? '' : `.build${build}`);
  await context.route(
    ({ pathname }) => ASSET.test(pathname),
    async (route) => {
      const url = route.request().url();
      const [asked = ''] = /\.build\d+/.exec(url) ?? [];
      if (asked !== suffix()) return route.fulfill({ status: 404 });
      const { contentType, text } = await readAsset(url.replace(asked, ''));
      return route.fulfill({ contentType, body: rename(text, asked) });
    },
  );
  await context.route(
    ({ pathname }) => PAGE.test(pathname),
    async (route) => {
      // The build may be another once the answer is there.
      const own = suffix();
      const response = await route.fetch();
      await route.fulfill({ response, body: rename(await response.text(), own) });
    },
  );
  return () => {
    build += 1;
  };
}

const rename = (text: string, suffix: string) => text.replaceAll(NAME, `$1${suffix}.$2`);

function readAsset(url: string): Promise<Built> {
  const known = assets.get(url) ?? fetchAsset(url);
  assets.set(url, known);
  return known;
}

/** Not as the page's own request, which ends with the page. */
async function fetchAsset(url: string): Promise<Built> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`No asset at ${url}: ${response.status}`);
  return { contentType: response.headers.get('content-type') ?? '', text: await response.text() };
}
