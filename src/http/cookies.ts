import type { IncomingMessage } from 'node:http';

/** The value of the request's first cookie of this name (RFC 6265 section 5.4); undefined where it has none. */
export function readCookie(request: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name)
      return pair.slice(equals + 1).trim() || undefined;
  }
  return undefined;
}

/**
 * The name that a cookie has at this address. Over https the `__Host-` prefix keeps sibling hosts from setting it
 * (RFC 6265bis section 4.1.3.2); plain http, on a loopback host only, cannot have it.
 */
export function hostCookieName(name: string, publicUrl: string): string {
  return publicUrl.startsWith('https:') ? `__Host-${name}` : name;
}

/** A `Set-Cookie` field for a cookie that no script reads; `maxAgeSeconds` 0 removes it. */
export function hostCookie(name: string, value: string, publicUrl: string, maxAgeSeconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${hostCookieName(name, publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`;
}
