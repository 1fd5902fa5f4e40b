import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib';

/** What has come of a body that breaks off is still decoded, and an empty body is one in any coding. */
const OPENERS: Readonly<Record<string, () => Transform>> = {
  gzip: openUnzip,
  'x-gzip': openUnzip,
  deflate: openUnzip,
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress({ finishFlush: constants.ZSTD_e_flush }),
};

function openUnzip(): Transform {
  return createUnzip({ finishFlush: constants.Z_SYNC_FLUSH });
}

export type DecodedContent = {
  /** Ends or fails as the body does; fails also where it is not what its coding says. */
  readonly content: Readable;
  /** As they are of the decoded body. */
  readonly headers: IncomingHttpHeaders;
};

/**
 * The body of an answer without its content coding (RFC 9110 section 8.4), which some servers apply although none was asked
 * for, and a few insist on. It is decoded outside of the event loop; how much of it is taken is up to the reader. A coding
 * that is not known is left to who reads the body.
 */
export function decodeContent(response: IncomingMessage): DecodedContent {
  const { headers } = response;
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  const open = Object.hasOwn(OPENERS, coding) ? OPENERS[coding] : undefined;
  if (open === undefined) return { content: response, headers };
  const { 'content-encoding': _coding, 'content-length': _length, ...rest } = headers;
  // The reader hears of an error by the content itself.
  return { content: pipeline(response, open(), () => undefined), headers: rest };
}
