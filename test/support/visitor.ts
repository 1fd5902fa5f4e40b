/** A browser without a window: it keeps cookies by path, and follows no redirect by itself. */
export type Visitor = ReturnType<typeof createVisitor>;

export function createVisitor(language = 'en') {
  const cookies = new Map<string, { readonly value: string; readonly path: string }>();

  async function send(url: string, init: RequestInit, withCookies: boolean): Promise<Response> {
    const { pathname } = new URL(url);
    const sent = [...cookies].filter(([, { path }]) => pathname.startsWith(path));
    const headers = new Headers(init.headers);
    headers.set('accept-language', language);
    if (withCookies && sent.length > 0)
      headers.set('cookie', sent.map(([name, { value }]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keep(line);
    return response;
  }

  function keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(pair.indexOf('=') + 1);
    const path = attributes.find((part) => /^path=/i.test(part))?.slice(5) ?? '/';
    if (value === '' || attributes.some((part) => /^max-age=0$/i.test(part))) cookies.delete(name);
    else cookies.set(name, { value, path });
  }

  return {
    get: (url: string) => send(url, { headers: { accept: 'text/html' } }, true),
    post: (url: string, fields: Record<string, string>, { isFromOtherSite = false } = {}) =>
      send(
        url,
        {
          method: 'POST',
          headers: { accept: 'text/html', 'sec-fetch-site': isFromOtherSite ? 'cross-site' : 'same-origin' },
          body: new URLSearchParams(fields),
        },
        // SameSite=Lax: another site's form comes without them.
        !isFromOtherSite,
      ),
  };
}

/** Where an answer sends the browser. Throws where it sends it nowhere. */
export async function readLocation(response: Response): Promise<string> {
  const location = response.headers.get('location');
  if (location === null) throw new Error(`answered ${response.status}: ${await response.text()}`);
  return new URL(location, response.url).href;
}
