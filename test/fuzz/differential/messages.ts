import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { SentRequest } from './stage.ts';

/** What clients and providers may rightly say, in odd but legal ways. */

const TOKEN_TEXT = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
const part = fc.constantFrom(
  'a',
  'B',
  '%20',
  '%C3%A9',
  '%2F',
  '%2f',
  '%41',
  'b;v=1',
  'c:d',
  "e'(f)*!$&,=@",
  '',
  '~',
  '_.-',
  '...',
  '..a',
  '%25',
  '[x]',
  '{y}',
  '|',
  '^',
  '"',
);
const query = fc.oneof(
  fc.constant(''),
  fc.constantFrom(
    '?',
    '?a',
    '?a=1&a=2',
    '?a=%20+b',
    '?a[]=1&a[x]=2',
    '??',
    '?a=/../b',
    '?%E2%82%AC',
    '?q="x"',
    '?a=1;b=2',
    '?=',
    '?&&',
    "?a='<>`",
  ),
);
const target = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 5 }), query)
  .map(([parts, behind]) => `/${parts.join('/')}${behind}`);

const field = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        'Accept: application/json',
        'accept: text/html;q=0.5, */*',
        'Accept-Encoding: gzip, br;q=0.1',
        'Accept-Language: de',
        'User-Agent: test/1 (x; y)',
        'If-None-Match: "a", W/"b"',
      ],
      ...[
        'If-Modified-Since: Fri, 27 Nov 2026 12:00:00 GMT',
        'Range: bytes=0-1,3-',
        'Content-Type: application/json; charset=utf-8',
        'content-type: multipart/form-data; boundary="a b"',
        'Content-Encoding: gzip',
        'Prefer: return=minimal',
      ],
      ...[
        'Idempotency-Key: "x"',
        'X-Api-Version: 1',
        'x_under_score: 1',
        'X-Empty:',
        'X-Tab:\ta\tb',
        'X-High: \xe9\xff',
        'X-Twice: 1',
        'X-Twice: 2',
        'x-twice: 3',
        "!#$%&'*+-.^_`|~: odd",
        'X-Comma: a, b',
        'Link: <https://a.test/>; rel="x"',
      ],
      ...[
        'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'tracestate: a=b',
        'baggage: a=b',
        'Sec-CH-UA: "x"',
        'DNT: 1',
        'Priority: u=1',
        'Date: Fri, 27 Nov 2026 12:00:00 GMT',
        'From: a@b.test',
        'Max-Forwards: 1',
        'Warning: 199 - "x"',
        'Cache-Control: no-cache',
        'Pragma: no-cache',
      ],
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...[
        'Connection: keep-alive',
        'Connection: X-Twice',
        'Connection: keep-alive, X-Api-Version',
        'Keep-Alive: timeout=5',
        'TE: trailers',
        'Trailer: X-T',
        'Proxy-Connection: keep-alive',
        'Expect: 100-continue',
      ],
      ...[
        'Cookie: a=b',
        'Cookie: c=d; e=f',
        'Cookie2: $Version=1',
        'Forwarded: for=1.1.1.1',
        'X-Forwarded-For: 1.1.1.1',
        'X-Forwarded-Proto: https',
        'X_Forwarded_Host: a',
        'X-Real-IP: 1.1.1.1',
        'Via: 1.1 a',
        'Referer: https://a.test/',
      ],
      ...[
        'True-Client-IP: 1.1.1.1',
        'CF-Connecting-IP: 1.1.1.1',
        'X-Original-URL: /x',
        'X-Rewrite-URL: /x',
        'Gateway-Timing: true',
        'Gateway-Retry: 0',
        'Gateway-Rewrite-Links: false',
      ],
    ),
  },
  { weight: 1, arbitrary: TOKEN_TEXT.map((value) => `X-Any: ${value}`) },
);

const content = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '',
      '{}',
      '{"a":[1,2]}',
      'a=b&c=%20',
      '\x00\xff\xfe',
      '\r\n\r\n',
      '0\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
    ),
  },
  { weight: 1, arbitrary: fc.constant(gzipSync('{"a":1}').toString('latin1')) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 200_000 }).map((length) => 'xyz'.repeat(length / 3)) },
);

const toChunk = (text: string, extension: string) => `${text.length.toString(16)}${extension}\r\n${text}\r\n`;

type Framed = { readonly line: string | undefined; readonly body: string };

/** With a length (blanks before an extension are refused by Node's parser, which is a refusal and no difference), in chunks of any size with extensions and trailers, or none at all. */
const framed: fc.Arbitrary<Framed> = fc.oneof(
  fc.constant({ line: undefined, body: '' }),
  content.map((body) => ({ line: `Content-Length: ${body.length}`, body })),
  fc
    .tuple(
      fc.array(
        content.filter((text) => text !== ''),
        { maxLength: 3 },
      ),
      fc.constantFrom('', '', ';a=b', ';a="b c"'),
      fc.constantFrom('', '', 'X-T: 1\r\n', 'X-T: 1\r\nX-U: 2\r\n'),
    )
    .map(([chunks, extension, trailers]) => ({
      line: 'Transfer-Encoding: chunked',
      body: `${chunks.map((text) => toChunk(text, extension)).join('')}0\r\n${trailers}\r\n`,
    })),
);

export const sentRequest: fc.Arbitrary<SentRequest> = fc
  .record({
    method: fc.constantFrom(
      'GET',
      'GET',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'HEAD',
      'OPTIONS',
      'PROPFIND',
      'QUERY',
      'REPORT',
    ),
    target,
    // What is meant for the gateway is said once.
    fields: fc.uniqueArray(field, {
      maxLength: 6,
      selector: (line) => (line.startsWith('Gateway-') ? line : {}),
    }),
    framed,
    place: fc.nat({ max: 6 }),
  })
  .map(({ method, target: path, fields, framed: { line, body }, place }) => ({
    method,
    target: path,
    lines: [
      'Host: {host}',
      ...fields.toSpliced(place, 0, 'Authorization: {credential}'),
      ...(line === undefined ? [] : [line]),
    ],
    body,
  }));

const answerField = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        'Content-Type: application/json',
        'content-type: text/html; charset=x',
        'ETag: W/"a"',
        'Last-Modified: Fri, 27 Nov 2026 12:00:00 GMT',
        'Link: <https://a.test/?page=2>; rel="next"',
        'Link: <https://a.test/>; rel="last"',
        'Location: /x?y',
        'Location: https://a.test/',
      ],
      ...[
        'Retry-After: 5',
        'RateLimit: "x";r=1',
        'X-RateLimit-Remaining: 1',
        'X-Request-Id: abc',
        'x_under: 1',
        'X-Empty:',
        'X-High: \xe9',
        'X-Twice: 1',
        'X-Twice: 2',
        'Vary: Accept',
        'Date: Fri, 27 Nov 2026 12:00:00 GMT',
        'Server: x/1 (y)',
        'Age: 1',
      ],
      ...[
        'Content-Disposition: attachment; filename="a b"',
        'Content-Range: bytes 0-1/3',
        'Content-Encoding: gzip',
        'Content-Language: de',
        'Allow: GET, HEAD',
        'WWW-Authenticate: Bearer error="invalid_token"',
        'Deprecation: @1',
        'Server-Timing: a;dur=1',
        'Via: 1.1 x',
        'Expires: 0',
        'Pragma: no-cache',
        'traceparent: 00-x',
      ],
      ...[
        'Cache-Control: max-age=5',
        'Cache-Control: no-store',
        'Cache-Control: private, max-age=1',
        'Mcp-Session-Id: x',
        'Accept-Ranges: bytes',
        'Content-Location: /y',
        'Warning: 199 - "x"',
        'Digest: sha-256=x',
      ],
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...[
        'Set-Cookie: a=b; Path=/',
        'Set-Cookie: c=d',
        'Cache-Control: public, max-age=5',
        'Cache-Control: s-maxage=5',
        'Connection: keep-alive',
        'Connection: X-Twice',
        'Keep-Alive: timeout=1',
        'Trailer: X-T',
        'Upgrade: h2c',
        'Proxy-Authenticate: Basic',
      ],
      ...[
        'Access-Control-Allow-Origin: *',
        'Access-Control-Allow-Credentials: true',
        'Strict-Transport-Security: max-age=1',
        'Alt-Svc: h3=":443"',
        'Clear-Site-Data: "*"',
        'Content-Security-Policy: default-src *',
        'Permissions-Policy: x=()',
        'Referrer-Policy: no-referrer',
        'X-Frame-Options: DENY',
      ],
      ...[
        'X-Content-Type-Options: nosniff',
        'X-XSS-Protection: 1',
        'NEL: {}',
        'Report-To: {}',
        'Refresh: 0',
        'Service-Worker-Allowed: /',
        'Accept-CH: x',
        'Cross-Origin-Opener-Policy: same-origin',
        'X-Accel-Redirect: /x',
        'X-Sendfile: /x',
        'Surrogate-Control: max-age=1',
        'CDN-Cache-Control: x',
        'Gateway-Error: internal_error',
        'Gateway-Request-Id: x',
      ],
    ),
  },
);

const STATUS = [
  '200 OK',
  '200 ',
  '201 Created',
  '202 Accepted',
  '203 x',
  '204 No Content',
  '206 Partial Content',
  '207 Multi-Status',
  '226 IM Used',
  '300 Multiple Choices',
  '301 Moved',
  '302 Found',
  '303 See Other',
  '304 Not Modified',
  '307 Temporary',
  '308 Permanent',
  '400 Bad',
  '402 Pay',
  '403 No',
  '404 Not Found',
  '405 x',
  '409 Conflict',
  '410 Gone',
  '412 x',
  '415 x',
  '418 Tea',
  '422 x',
  '428 x',
  '429 Too Many',
  '451 x',
  '499 odd',
  '500 Oh',
  '501 x',
  '502 x',
  '503 x',
  '504 x',
  '507 x',
  '599 x',
  '299 \xe9t\xe9',
];

export type SentAnswer = {
  readonly early: string;
  readonly status: string;
  readonly lines: readonly string[];
  readonly body: string;
};

/** An answer; interim ones may stand before it. */
export const sentAnswer: fc.Arbitrary<SentAnswer> = fc
  .record({
    early: fc.constantFrom(
      '',
      '',
      '',
      'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
      'HTTP/1.1 102 Processing\r\n\r\n',
    ),
    status: fc.constantFrom(...STATUS),
    fields: fc.array(answerField, { maxLength: 7 }),
    framed,
  })
  .map(({ early, status, fields, framed: { line = 'Content-Length: 0', body } }) => {
    // It has neither a length nor a coding (RFC 9110 section 8.6, RFC 9112 section 6.1).
    const lines = status.startsWith('204') ? fields : [...fields, line];
    return { early, status, lines, body };
  });

/** What a provider writes as an answer to a request of this method. */
export function writeAnswer({ early, status, lines, body }: SentAnswer, method: string): Buffer {
  const isBodiless = method === 'HEAD' || /^(?:204|304)/.test(status);
  const head = [`HTTP/1.1 ${status}`, ...lines].join('\r\n');
  return Buffer.from(`${early}${head}\r\n\r\n${isBodiless ? '' : body}`, 'latin1');
}
