/** Host and path of a destination's address: what tells it from the others; of a topic all of it, which tells that it is one. */
export function shortUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null || parsed.protocol === 'kafka:'
    ? url
    : `${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}`;
}
