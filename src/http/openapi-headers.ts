import type { Endpoint } from './endpoint.ts';
import type { Json } from './openapi-schemas.ts';

/** True for a resource that carries an `ETag`: some change of it can be refused by `If-Match`. */
export function isVersioned({ path }: Endpoint, endpoints: readonly Endpoint[]): boolean {
  return endpoints.some((other) => other.path === path && other.errors?.includes('precondition_failed'));
}

/** True where what was made can be read at an address of its own. */
export function isReadable({ path }: Endpoint, endpoints: readonly Endpoint[]): boolean {
  const isItem = (other: string) => other.startsWith(`${path}/{`) && !other.includes('/', path.length + 1);
  return endpoints.some((other) => other.method === 'get' && isItem(other.path));
}

/** The request header fields that mean something to the operation. */
export function headerParameters(declared: Endpoint, endpoints: readonly Endpoint[]): Json[] {
  const header = (name: string, description: string): Json => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', maxLength: 255 },
  });
  if (declared.method === 'post' && declared.principals.length > 0)
    return [
      header(
        'Idempotency-Key',
        'Makes a retry safe: the same key and body give the first reply for 24 hours.',
      ),
    ];
  if (declared.errors?.includes('precondition_failed'))
    return [
      header('If-Match', 'The `ETag` that the change is based on; 412 when the resource is no longer that.'),
    ];
  if (declared.method === 'get' && isVersioned(declared, endpoints))
    return [header('If-None-Match', 'The `ETag` of what the caller has; 304 when it is still that.')];
  return [];
}

/** A header field of a reply. */
export function headerField(description: string): Json {
  return { description, schema: { type: 'string' } };
}

export const REQUEST_ID = { 'Gateway-Request-Id': headerField('Names the request in the log.') };
export const ENTITY_TAG = {
  ETag: headerField('Version of the resource, for `If-Match` and `If-None-Match`.'),
};
export const DEPRECATION = {
  Deprecation: headerField('Since when the operation should not be used (RFC 9745).'),
  Sunset: headerField('From when the operation may be gone (RFC 8594).'),
  Link: headerField('`rel="deprecation"`: what is said of it.'),
};
export const RATE_LIMIT = {
  'RateLimit-Policy': headerField('The limit that counts for the caller.'),
  RateLimit: headerField('What is left of it (draft-ietf-httpapi-ratelimit-headers).'),
};
export const RETRY_AFTER = { 'Retry-After': headerField('Seconds to wait.') };
export const NOT_MODIFIED = {
  description: 'The caller has the latest version.',
  headers: { ...REQUEST_ID, ...ENTITY_TAG },
};
