/**
 * The `Location` of a 201 (RFC 9110 section 10.2.2), absolute. `given` may be relative to the address that was posted
 * to; left out, the new resource lies beneath that address by its `id`, or has no address of its own.
 */
export function buildLocation(target: string, given: string | undefined, body: unknown): string {
  const { origin, pathname } = new URL(target);
  if (given !== undefined) return new URL(given, `${origin}${pathname}`).href;
  const isRecord = typeof body === 'object' && body !== null;
  return isRecord && 'id' in body && typeof body.id === 'string'
    ? `${origin}${pathname}/${body.id}`
    : `${origin}${pathname}`;
}
