import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, constants, unzipSync } from 'node:zlib';

/** Far more than any answer with tokens has. */
export const BODY_BYTES_MAX = 64 * 1024;

/** An answer as it came; `isCut`: only its beginning has come, or was kept. */
export type ReceivedResponse = {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly isCut?: boolean;
};

/**
 * An answer without its content coding, which some servers apply although none was asked for, and a few insist on. What is larger
 * than `bytesMax`, also once it is decoded, is cut: a megabyte takes some milliseconds. Pure; never throws.
 */
export function decodeResponse(
  { headers, body, isCut = false }: ReceivedResponse,
  bytesMax = BODY_BYTES_MAX,
): ReceivedResponse {
  if (body.length > bytesMax) return { headers, body: body.subarray(0, bytesMax), isCut: true };
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (body.length === 0 || coding === 'identity' || coding === '') return { headers, body, isCut };
  try {
    const limits = { maxOutputLength: bytesMax };
    const decoded =
      coding === 'br'
        ? brotliDecompressSync(body, { ...limits, finishFlush: constants.BROTLI_OPERATION_FLUSH })
        : unzipSync(body, { ...limits, finishFlush: constants.Z_SYNC_FLUSH });
    return { headers, body: decoded, isCut };
  } catch {
    return { headers, body: Buffer.alloc(0), isCut: true };
  }
}

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
