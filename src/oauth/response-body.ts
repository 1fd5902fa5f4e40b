import type { IncomingHttpHeaders } from 'node:http';

/** Far more than any answer with tokens has. */
export const BODY_BYTES_MAX = 64 * 1024;

/** An answer as it came; `isCut`: only its beginning has come, or was kept. */
export type ReceivedResponse = {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly isCut?: boolean;
};

/**
 * Whether an answer that cannot be read is a page or a sentence in the place of tokens: what a service shows that is down.
 * By its beginning, and where that says nothing by its type.
 */
export function isPage({ headers, body }: ReceivedResponse): boolean {
  if (body.includes('access_token')) return false;
  const beginning = body.toString('latin1', 0, 1_000).trimStart();
  if (/^[<\w]/.test(beginning)) return true;
  const isData = /json|x-www-form-urlencoded|octet-stream|^$/i.test(headers['content-type'] ?? '');
  return !isData && !/^[[{"]/.test(beginning) && (beginning !== '' || 'content-encoding' in headers);
}
