/** A request as the strictest reader of HTTP/1.1 sees it (RFC 9110, 9112): nothing is forgiven that one server reads otherwise. */
export type StrictRequest = {
  readonly method: string;
  readonly target: string;
  /** Name and value, in order; values without the blanks around them. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly trailers: readonly string[];
};

export type StrictReading =
  | { readonly kind: 'request'; readonly request: StrictRequest; readonly rest: Buffer }
  /** The bytes end within a request, or are none. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed'; readonly why: string };

/** Several spaces count as one, as RFC 9112 section 3 lets recipients read them and Node's parser does. */
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) +([\x21-\x7e]+) +HTTP\/1\.([01])$/;
const FIELD_LINE =
  /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*((?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?)[ \t]*$/;
const CHUNK_LINE = /^([0-9A-Fa-f]{1,8})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/;

const malformed = (why: string): StrictReading => ({ kind: 'malformed', why });

/** Reads one request from the beginning of the bytes. Empty lines before it count for nothing (RFC 9112 section 2.2). */
export function takeStrictRequest(given: Buffer): StrictReading {
  let start = 0;
  while (given[start] === 0x0d || given[start] === 0x0a) start += 1;
  const bytes = given.subarray(start);
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return { kind: 'incomplete' };
  const [line = '', ...fieldLines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const [, method, target, minor] = REQUEST_LINE.exec(line) ?? [];
  if (method === undefined || target === undefined) return malformed('request line');
  const fields: (readonly [string, string])[] = [];
  for (const fieldLine of fieldLines) {
    const [, name, value = ''] = FIELD_LINE.exec(fieldLine) ?? [];
    if (name === undefined) return malformed('field line');
    fields.push([name, value]);
  }
  const framing = readFraming(fields, minor === '1');
  if (typeof framing === 'string') return malformed(framing);
  const rest = bytes.subarray(headEnd + 4);
  const taken = framing.isChunked ? takeStrictChunks(rest) : takeLength(rest, framing.length);
  if (taken === 'incomplete') return { kind: 'incomplete' };
  if (taken === 'malformed') return malformed('chunks');
  const { body, trailers } = taken;
  return { kind: 'request', request: { method, target, fields, body, trailers }, rest: taken.rest };
}

/** All values of a field. */
export function listValues(fields: StrictRequest['fields'], lowerName: string): string[] {
  return fields.flatMap(([name, value]) => (name.toLowerCase() === lowerName ? [value] : []));
}

type Framing = { readonly isChunked: boolean; readonly length: number };

function readFraming(fields: StrictRequest['fields'], is11: boolean): Framing | string {
  const lengths = listValues(fields, 'content-length');
  const codings = listValues(fields, 'transfer-encoding');
  if (listValues(fields, 'host').length > 1) return 'several hosts';
  if (lengths.length > 1 || (lengths[0] !== undefined && !/^\d{1,15}$/.test(lengths[0]))) return 'length';
  if (codings.length === 0) return { isChunked: false, length: Number(lengths[0] ?? 0) };
  if (!is11 || lengths.length > 0) return 'length and coding';
  if (codings.length > 1 || codings[0]?.toLowerCase() !== 'chunked') return 'coding';
  return { isChunked: true, length: 0 };
}

type Taken = { readonly body: Buffer; readonly trailers: readonly string[]; readonly rest: Buffer };

function takeLength(bytes: Buffer, length: number): Taken | 'incomplete' {
  if (bytes.length < length) return 'incomplete';
  return { body: bytes.subarray(0, length), trailers: [], rest: bytes.subarray(length) };
}

export function takeStrictChunks(bytes: Buffer): Taken | 'incomplete' | 'malformed' {
  const chunks: Buffer[] = [];
  let rest = bytes;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n');
    if (lineEnd < 0) return rest.length > 64 * 1024 || rest.includes('\n') ? 'malformed' : 'incomplete';
    const [, digits] = CHUNK_LINE.exec(rest.toString('latin1', 0, lineEnd)) ?? [];
    if (digits === undefined) return 'malformed';
    const size = Number.parseInt(digits, 16);
    rest = rest.subarray(lineEnd + 2);
    if (size === 0) return takeTrailers(Buffer.concat(chunks), rest);
    if (rest.length < size + 2) return 'incomplete';
    if (rest.toString('latin1', size, size + 2) !== '\r\n') return 'malformed';
    chunks.push(rest.subarray(0, size));
    rest = rest.subarray(size + 2);
  }
}

function takeTrailers(body: Buffer, bytes: Buffer): Taken | 'incomplete' | 'malformed' {
  const trailers: string[] = [];
  let rest = bytes;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n');
    if (lineEnd < 0) return 'incomplete';
    const line = rest.toString('latin1', 0, lineEnd);
    rest = rest.subarray(lineEnd + 2);
    if (line === '') return { body, trailers, rest };
    if (!FIELD_LINE.test(line)) return 'malformed';
    trailers.push(line);
  }
}

/** The requests that the strictest reader finds one behind the other, up to the first that it refuses. */
export function readStrictly(bytes: Buffer): StrictRequest[] {
  const requests: StrictRequest[] = [];
  for (let rest = bytes; ; ) {
    const reading = takeStrictRequest(rest);
    if (reading.kind !== 'request') return requests;
    requests.push(reading.request);
    rest = reading.rest;
  }
}
