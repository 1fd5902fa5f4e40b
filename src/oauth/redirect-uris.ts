const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A program on the person's own computer that listens there (RFC 8252 section 7.3). */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && LOOPBACK.has(hostname);
}

/**
 * Whether one of them takes codes in the clear to another computer. MCP allows https and the loopback alone; the library lets
 * a client that calls itself a web application have any.
 */
export function hasPlainRedirect(redirectUris: unknown): boolean {
  if (!Array.isArray(redirectUris)) return false;
  return redirectUris.some((uri: unknown) => {
    const url = typeof uri === 'string' ? URL.parse(uri) : null;
    return url?.protocol === 'http:' && !isLoopback(url);
  });
}
