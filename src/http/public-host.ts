import type { RequestHandler } from 'express';

const HOST_CHARACTERS_MAX = 260;

/**
 * Warns, once, and calls `noteHost` every time, when a browser opens a page under another host than PUBLIC_URL's:
 * cookies, redirects and the addresses that providers know would lead elsewhere. Requests of probes and programs tell
 * nothing, they may use any name.
 */
export function createPublicHostCheck(deps: {
  publicUrl: string;
  log: { warn(fields: object, message: string): void };
  noteHost?(host: string): void;
}): RequestHandler {
  const expected = new URL(deps.publicUrl).host;
  let hasWarned = false;
  return (request, _response, next) => {
    const host = request.headers['sec-fetch-dest'] === 'document' ? request.host : undefined;
    const seen = host === undefined ? expected : stripDefaultPort(host, deps.publicUrl);
    if (seen !== expected) deps.noteHost?.(seen.slice(0, HOST_CHARACTERS_MAX));
    if (seen !== expected && !hasWarned) {
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
