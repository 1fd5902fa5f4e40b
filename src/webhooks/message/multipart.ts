import type { WebhookRequest } from './webhook.ts';

const BOUNDARY_LENGTH_MAX = 70;
const PART_HEADERS_LENGTH_MAX = 2_000;
const PARTS_MAX = 100;
const END_OF_HEADERS = '\r\n\r\n';

/** The text of one field of a multipart/form-data body (RFC 7578); undefined where there is none of that name. */
export function readMultipartField({ headers, body }: WebhookRequest, field: string): string | undefined {
  const delimiter = readDelimiter(headers.get('content-type')?.[0] ?? '');
  if (delimiter === undefined) return undefined;
  let start = body.indexOf(delimiter);
  for (let part = 0; start >= 0 && part < PARTS_MAX; part += 1) {
    const headersStart = start + delimiter.length;
    const headersEnd = body.indexOf(END_OF_HEADERS, headersStart);
    const end = body.indexOf(`\r\n${delimiter}`, headersStart);
    if (headersEnd < 0 || end < headersEnd) return undefined;
    const isShort = headersEnd - headersStart <= PART_HEADERS_LENGTH_MAX;
    if (isShort && readPartName(body.toString('utf8', headersStart, headersEnd)) === field) {
      return body.toString('utf8', headersEnd + END_OF_HEADERS.length, end);
    }
    start = end + 2;
  }
  return undefined;
}

function readDelimiter(contentType: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;]+))/i.exec(contentType.slice(0, 500)) ?? [];
  const boundary = quoted ?? plain ?? '';
  return boundary === '' || boundary.length > BOUNDARY_LENGTH_MAX ? undefined : `--${boundary}`;
}

function readPartName(headers: string): string | undefined {
  return /;\s*name="([^"]*)"/i.exec(headers)?.[1];
}
