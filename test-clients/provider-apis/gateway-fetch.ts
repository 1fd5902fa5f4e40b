/**
 * `fetch` for clients that go to addresses of the provider's own. `addresses` has the proxy's address for each of the
 * provider's: what begins with one of these goes through the gateway instead, and the user's token is sent to no other
 * address.
 */
export function gatewayFetch(addresses: Readonly<Record<string, string>>): typeof fetch {
  return (input, init) => {
    const url = String(input);
    for (const [providerUrl, proxyUrl] of Object.entries(addresses)) {
      if (url.startsWith(`${providerUrl}/`)) return fetch(proxyUrl + url.slice(providerUrl.length), init);
      if (url.startsWith(`${proxyUrl}/`)) return fetch(url, init);
    }
    const headers = new Headers(init?.headers);
    headers.delete('authorization');
    return fetch(url, { ...init, headers });
  };
}
