/** A quarter of what V8 lets lie outside of its heap before it collects the whole of it. */
const BYTES_BETWEEN_COLLECTIONS = 16 * 1024 * 1024;

/** Of the process, as the memory is. */
let bytesSince = 0;

/**
 * Counts a piece of a body that was read from a connection. Its memory lies outside of V8's heap, and V8 collects the whole
 * heap, which is large, for each 64 MB of that, although the pieces are gone long before. They would go with the young
 * objects, but a large body makes so few of these that their collection does not come by itself. So it is asked for here,
 * in a process that was started with `--expose-gc`.
 */
export function countChunk(bytes: number): void {
  bytesSince += bytes;
  if (bytesSince < BYTES_BETWEEN_COLLECTIONS) return;
  bytesSince = 0;
  globalThis.gc?.({ type: 'minor' });
}
