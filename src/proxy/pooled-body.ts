import type { AttemptsOptions } from './attempt-requests.ts';
import type { PlaceKind } from './connection-places.ts';
import type { Intake } from './intake.ts';
import type { RequestBody } from './request-body.ts';

/**
 * Which requests undici carries, faster than Node's client does: those that are here as a whole, so that nothing of them
 * has to be streamed, and that undici sends as they are.
 */

/** Longer bodies seldom come in the packet of their head, and a provider may refuse one before it has read it. */
const POOLED_BODY_BYTES_MAX = 8 * 1024;

/** undici closes the connection after other methods with a body, and after HEAD. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
/** undici drops a `Content-Length: 0` of these. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'DELETE']);

/** Whether undici may carry a request, once its body is here. */
export function mayBePooled(method: string, { hasBody, announcedBytes }: Intake): boolean {
  if (!hasBody && announcedBytes === undefined) return WITH_BODY.has(method) || WITHOUT_BODY.has(method);
  return WITH_BODY.has(method) && announcedBytes !== undefined && announcedBytes <= POOLED_BODY_BYTES_MAX;
}

/** The body of such a request; undefined where it is not here. */
export function findPooledBody(body: RequestBody): Buffer | undefined {
  return body.takeWhole(POOLED_BODY_BYTES_MAX);
}

/** Most short bodies come in the packet of their head: they are here as soon as Node has taken that apart. */
export function isWorthATick({ call, intake }: AttemptsOptions): boolean {
  return intake.hasBody && !call.request.complete && !call.isContinueAwaited;
}

export function choosePlaceKind(
  { identified }: AttemptsOptions,
  mayStayOpen: boolean,
  pooledBody: Buffer | undefined,
): PlaceKind {
  if (mayStayOpen || identified.connection.timeouts?.firstByteSeconds !== undefined) return 'long';
  return pooledBody === undefined ? 'streamed' : 'pooled';
}
