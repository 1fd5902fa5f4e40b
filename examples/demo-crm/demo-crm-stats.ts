/** What the server has seen since it started. Plain numbers and lists, for tests to read and compare. */
export type DemoCrmStats = {
  /** Token requests that were answered with tokens, by grant type. */
  readonly tokenRequests: Record<string, number>;
  /** Token requests that were refused, by grant type. */
  readonly refusedTokenRequests: Record<string, number>;
  /** Tokens that a client revoked (RFC 7009). */
  revokedTokens: number;
  /** The latest calls of the contacts API, oldest first, at most `API_CALLS_KEPT`. */
  readonly apiCalls: { readonly method: string; readonly path: string; readonly status: number }[];
  /** All calls of the contacts API. */
  apiCallCount: number;
};

const API_CALLS_KEPT = 1000;

export function createStats(): DemoCrmStats {
  return { tokenRequests: {}, refusedTokenRequests: {}, revokedTokens: 0, apiCalls: [], apiCallCount: 0 };
}

export function recordApiCall(stats: DemoCrmStats, call: DemoCrmStats['apiCalls'][number]): void {
  stats.apiCallCount += 1;
  stats.apiCalls.push(call);
  if (stats.apiCalls.length > API_CALLS_KEPT) stats.apiCalls.shift();
}
