import type { RequestHandler } from 'express';

const HOST_CHARACTERS_MAX = 260;

/**
 * Warns, once, when a browser opens a page under another host than PUBLIC_URL's: cookies, redirects and the addresses
 * that providers know would lead elsewhere. Requests of probes and programs tell nothing, they may use any name.
 */
export function createPublicHostCheck(deps: {
  publicUrl: string;
  log: { warn(fields: object, message: string): void };
}): RequestHandler {
  const expected = new URL(deps.publicUrl).host;
  let hasWarned = false;
  return (request, _response, next) => {
    const isPage = request.headers['sec-fetch-dest'] === 'document';
    const seen = isPage && !hasWarned ? request.host : undefined;
    if (seen !== undefined && stripDefaultPort(seen, deps.publicUrl) !== expected) {
      hasWarned = true;
      deps.log.warn(
        { seen: seen.slice(0, HOST_CHARACTERS_MAX), publicUrl: deps.publicUrl },
        'a browser opened the gateway under another host than that of PUBLIC_URL: set PUBLIC_URL to the address that people use, and TRUST_PROXY where a reverse proxy passes the host on',
      );
    }
    next();
  };
}

function stripDefaultPort(host: string, publicUrl: string): string {
  const port = publicUrl.startsWith('https:') ? ':443' : ':80';
  return host.toLowerCase().endsWith(port) ? host.toLowerCase().slice(0, -port.length) : host.toLowerCase();
}
