/** How long a browser may remember a preflight; short, so that a removed origin is refused soon. */
const MAX_AGE_SECONDS = 600;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** What scripts may read besides the safelisted response header fields. */
const EXPOSED_HEADERS = [
  'Gateway-Error',
  'Gateway-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'ETag',
  'Location',
  'Link',
  'Idempotency-Replayed',
].join(', ');

/**
 * CORS header fields of a reply (Fetch standard, section 3.3). The origin must be in the list exactly; `null`,
 * wildcards and suffixes never match. Credentials mode is not allowed: callers bring a bearer token, no cookie.
 * `Vary: Origin` is always there, so that no cache serves one origin's answer to another.
 */
export function corsHeaders(input: {
  origin: string | undefined;
  allowedOrigins: readonly string[] | ReadonlySet<string>;
}): Record<string, string> {
  const { origin, allowedOrigins } = input;
  if (origin === undefined || origin === 'null' || !includes(allowedOrigins, origin))
    return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
  };
}

function includes(list: readonly string[] | ReadonlySet<string>, origin: string): boolean {
  return 'has' in list ? list.has(origin) : list.includes(origin);
}

/** True for a CORS preflight, as opposed to an OPTIONS request of the caller's own. */
export function isPreflight(request: {
  method?: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.headers.origin !== undefined &&
    request.headers['access-control-request-method'] !== undefined
  );
}

/**
 * Header fields of the 204 that answers a preflight. An origin that is not allowed gets no permission, which makes the
 * browser refuse. Requested header names are echoed when they are well-formed: the bearer token decides what a caller
 * may do, not the names of the fields it sends.
 */
export function preflightHeaders(input: {
  origin: string | undefined;
  allowedOrigins: readonly string[] | ReadonlySet<string>;
  requestedHeaders: string | undefined;
}): Record<string, string> {
  const vary = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';
  const headers = corsHeaders(input);
  if (!headers['Access-Control-Allow-Origin']) return { Vary: vary };
  const names = (input.requestedHeaders ?? '').split(',').map((name) => name.trim());
  return {
    Vary: vary,
    'Access-Control-Allow-Origin': headers['Access-Control-Allow-Origin'],
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': names.filter((name) => /^[A-Za-z0-9-]{1,100}$/.test(name)).join(', '),
    'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
  };
}
