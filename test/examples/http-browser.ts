/** One answer as a person's browser would see it: the page itself, or where the browser was sent. */
export type Page = {
  readonly url: string;
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
};

export type HttpBrowser = ReturnType<typeof createHttpBrowser>;

type Cookie = { readonly name: string; readonly value: string; readonly host: string; readonly path: string };

/** As many as browsers follow. */
const HOPS_MAX = 20;

/**
 * A browser as far as HTTP goes: cookies by host and path, redirects followed until one leaves for an origin that is
 * not among `origins` (its page then is the last redirect's target, with status 0 and no body), forms posted.
 */
export function createHttpBrowser({ origins }: { origins: readonly string[] }) {
  let cookies: Cookie[] = [];

  function cookieHeader(url: URL): string {
    return cookies
      .filter(
        ({ host, path }) => host === url.hostname && `${url.pathname}/`.startsWith(path.replace(/\/?$/, '/')),
      )
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  function keepCookies(url: URL, headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const name = pair.slice(0, pair.indexOf('='));
      const value = pair.slice(pair.indexOf('=') + 1);
      const path = attributeOf(attributes, 'path') ?? '/';
      const expires = attributeOf(attributes, 'expires');
      cookies = cookies.filter(
        (cookie) => cookie.name !== name || cookie.host !== url.hostname || cookie.path !== path,
      );
      if (expires !== undefined && Date.parse(expires) <= Date.now()) continue;
      cookies.push({ name, value, host: url.hostname, path });
    }
  }

  async function load(target: string, form?: Record<string, string>, hops = 0): Promise<Page> {
    if (hops > HOPS_MAX) throw new Error(`too many redirects, the last to ${target}`);
    const url = new URL(target);
    if (!origins.includes(url.origin)) return { url: target, status: 0, body: '', headers: new Headers() };
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: cookieHeader(url) },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    keepCookies(url, response.headers);
    const location = response.headers.get('location');
    const body = await response.text();
    if (location !== null && response.status >= 300 && response.status < 400)
      return load(new URL(location, url).href, undefined, hops + 1);
    return { url: target, status: response.status, body, headers: response.headers };
  }

  return {
    open: (url: string): Promise<Page> => load(url),
    submit: (url: string, form: Record<string, string> = {}): Promise<Page> => load(url, form),
    cookies: (): readonly Cookie[] => cookies,
  };
}

function attributeOf(attributes: readonly string[], name: string): string | undefined {
  return attributes
    .find((attribute) => attribute.toLowerCase().startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
