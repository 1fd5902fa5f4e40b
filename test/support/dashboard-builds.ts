import type { BrowserContext, Route } from 'playwright-core';

const ASSET = /^\/assets\/.+-[\w-]{8}(?:\.build\d+)?\.(js|css)$/;
const PAGE = /^\/(p\/.*|me)?$/;
const NAME = /((?:assets|\.)\/[\w.-]+?-[\w-]{8})\.(js|css)\b/g;

/**
 * What gives the dashboard another build in this context, again and again: every asset gets another name, as by a build of
 * other sources, and those of the build before are answered 404.
 */
export async function replaceBuilds(context: BrowserContext): Promise<() => void> {
  let build = 0;
  const suffix = () => (build === 0 ? '' : `.build${build}`);
  const fulfill = async (route: Route, url?: string) => {
    // The build may be another once the answer is there.
    const own = suffix();
    const response = await route.fetch(url === undefined ? {} : { url });
    const text = await response.text();
    await route.fulfill({ response, body: text.replaceAll(NAME, `$1${own}.$2`) });
  };
  await context.route(
    ({ pathname }) => ASSET.test(pathname),
    (route) => {
      const url = route.request().url();
      const [asked = ''] = /\.build\d+/.exec(url) ?? [];
      return asked === suffix() ? fulfill(route, url.replace(asked, '')) : route.fulfill({ status: 404 });
    },
  );
  await context.route(
    ({ pathname }) => PAGE.test(pathname),
    (route) => fulfill(route),
  );
  return () => {
    build += 1;
  };
}
