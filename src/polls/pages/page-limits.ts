import type { RequestLimits } from '../../credentials/calling/api-message.ts';

const TIMEOUT_MS = 30_000;
/** Looked through in one piece of some 20 ms; a longer page is asked for with fewer records. */
export const PAGE_BYTES_MAX = 2 * 1024 * 1024;

/** What a page of a run may take. */
export function pageLimits(signal: AbortSignal): RequestLimits {
  return { timeoutMs: TIMEOUT_MS, responseBytesMax: PAGE_BYTES_MAX, signal };
}
