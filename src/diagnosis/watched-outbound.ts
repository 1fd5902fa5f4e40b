import { type Outbound, OutboundError, type OutboundErrorKind } from '../platform/outbound.ts';

/** How one request went: what responses and failures show of a server beside their content. */
export type Exchange = {
  readonly origin: string;
  readonly durationMs: number;
  readonly status: number | null;
  readonly failure: { readonly kind: OutboundErrorKind; readonly code: string | undefined } | null;
  /** How far our clock is ahead of the server's `Date`, in ms, less what the duration explains. Null: no such field. */
  readonly skewMs: number | null;
};

/** A `Date` has whole seconds (RFC 9110 6.6.1). */
const DATE_RESOLUTION_MS = 1_000;

/** An outbound that reports each of its exchanges. */
export function watchOutbound(
  outbound: Outbound,
  now: () => number,
  report: (exchange: Exchange) => void,
): Outbound {
  return {
    async request(request) {
      const startedAtMs = now();
      const origin = URL.parse(request.url)?.origin ?? '';
      const since = () => now() - startedAtMs;
      try {
        const response = await outbound.request(request);
        const skewMs = measureSkew(response.headers.date, startedAtMs, now());
        report({ origin, durationMs: since(), status: response.status, failure: null, skewMs });
        return response;
      } catch (error) {
        if (error instanceof OutboundError) {
          const { kind, code } = error;
          report({ origin, durationMs: since(), status: null, failure: { kind, code }, skewMs: null });
        }
        throw error;
      }
    },
  };
}

/** Pure. What the time between request and answer can explain does not count. */
export function measureSkew(date: string | undefined, startedAtMs: number, endedAtMs: number): number | null {
  const theirs = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return null;
  if (theirs + DATE_RESOLUTION_MS < startedAtMs) return startedAtMs - theirs - DATE_RESOLUTION_MS;
  return theirs > endedAtMs ? endedAtMs - theirs : 0;
}
