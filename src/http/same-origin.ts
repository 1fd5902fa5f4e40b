import type { IncomingMessage } from 'node:http';
import { HttpError } from './errors.ts';

type Fields = Pick<IncomingMessage, 'headers'>;

/**
 * Throws `csrf_rejected` unless `Origin` or `Sec-Fetch-Site` says that a page of the gateway sent the request; for
 * requests that change something in the name of a cookie, which browsers send along by themselves.
 */
export function assertSameOrigin(request: Fields, publicUrl: string): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin === undefined && site === undefined) throw new HttpError('csrf_rejected');
  assertNotCrossOrigin(request, publicUrl);
}

/**
 * Throws `csrf_rejected` where a browser says that another origin's page sent the request; programs, which say nothing,
 * pass. For requests that set a cookie and bring none, so that no page signs its visitor in to another account.
 */
export function assertNotCrossOrigin({ headers }: Fields, publicUrl: string): void {
  const { origin, 'sec-fetch-site': site, host } = headers;
  if (site !== undefined && site !== 'same-origin') throw new HttpError('csrf_rejected');
  if (origin === undefined || origin === publicUrl) return;
  // A browser that uses another name of the gateway, such as 127.0.0.1 for localhost, vouches for itself.
  const isOwnHost = site === 'same-origin' && host !== undefined && URL.parse(origin)?.host === host;
  if (!isOwnHost) throw new HttpError('csrf_rejected');
}
