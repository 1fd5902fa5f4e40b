import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, constants, inflateRawSync, unzipSync, zstdDecompressSync } from 'node:zlib';

export type CodedBody = { readonly body: Buffer; readonly isCut?: true };

/** Where nothing of a body can be had. */
export const LOST_BODY: CodedBody = { body: Buffer.alloc(0), isCut: true };

/** Decoding this much holds the event loop for some ten milliseconds; larger answers are left as they came. */
const DECODED_BYTES_MAX = 2 * 1024 * 1024;

/**
 * A body is coded once, and its field put twice at most. Each coding may unpack the whole limit again, and a field has room for
 * thousands of them.
 */
const CODINGS_MAX = 4;

/**
 * A body without its content codings (RFC 9110 section 8.4), which some servers apply although none was asked for, and a few insist
 * on. By what it begins with before what it is called: servers in front put a field twice, or change a body and leave the field.
 * `too_large`: it becomes more than `bytesMax`. What cannot be decoded comes as nothing, cut. Pure; never throws.
 */
export function decodeBody(
  headers: IncomingHttpHeaders,
  coded: CodedBody,
  bytesMax: number,
): CodedBody | 'too_large' {
  const { body } = coded;
  if (body.length === 0 || bytesMax > DECODED_BYTES_MAX) return coded;
  const codings = listCodings(headers['content-encoding']);
  if (codings.length > CODINGS_MAX) return LOST_BODY;
  try {
    return { ...coded, body: codings.reduceRight((rest, coding) => decode(coding, rest, bytesMax), body) };
  } catch (error) {
    const isTooLarge =
      error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge ? 'too_large' : LOST_BODY;
  }
}

/** Lower-cased, without parameters. */
function listCodings(field: string | undefined): string[] {
  const codings = (field ?? '')
    .split(',')
    .map((coding) => coding.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  return codings.filter((coding) => coding !== '' && coding !== 'identity');
}

/** What has come of a body that breaks off is decoded as far as it goes. */
function decode(coding: string, body: Buffer, maxOutputLength: number): Buffer {
  if (coding === 'br')
    return brotliDecompressSync(body, { maxOutputLength, finishFlush: constants.BROTLI_OPERATION_FLUSH });
  if (coding === 'zstd')
    return zstdDecompressSync(body, { maxOutputLength, finishFlush: constants.ZSTD_e_flush });
  const limits = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH };
  if (isGzip(body) || isZlib(body)) return unzipSync(body, limits);
  return coding === 'deflate' ? inflateRawSync(body, limits) : body;
}

const isGzip = (body: Buffer) => body[0] === 0x1f && body[1] === 0x8b;

/** RFC 1950 section 2.2: by the method, and a check sum of two bytes. */
const isZlib = (body: Buffer) =>
  body.length > 2 && ((body[0] ?? 0) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
