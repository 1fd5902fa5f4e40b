/**
 * `fetch` for clients that go to addresses of the provider's own: those that begin with `providerUrl` go through the
 * gateway instead, and the user's token is sent to no other address.
 */
export function gatewayFetch(providerUrl: string, proxyUrl: string): typeof fetch {
  return (input, init) => {
    const url = String(input);
    if (url.startsWith(`${providerUrl}/`)) return fetch(proxyUrl + url.slice(providerUrl.length), init);
    if (url.startsWith(`${proxyUrl}/`)) return fetch(url, init);
    const headers = new Headers(init?.headers);
    headers.delete('authorization');
    return fetch(url, { ...init, headers });
  };
}
