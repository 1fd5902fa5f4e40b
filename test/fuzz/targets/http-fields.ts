import fc from 'fast-check';
import { joinText, type Text } from '../engine/text.ts';

import { pick } from './http-lines.ts';

/** Header fields on a raw socket, beside those that every request has. */

const plainField = pick(
  ...[
    'Accept: */*',
    'Accept-Encoding: gzip, br',
    'Range: bytes=0-',
    'X-A: b',
    'x_y: 1',
    'Content-Type: application/json',
    'If-None-Match: *',
    'TE: trailers',
  ],
  ...[
    'Cookie: a=b',
    'X-Forwarded-For: 1.1.1.1',
    'Forwarded: for=1.1.1.1',
    'X_Forwarded_Host: x',
    'Via: 1.1 x',
    'Origin: http://127.0.0.1:9',
    'Origin: null',
  ],
  ...[
    'Sec-Fetch-Site: cross-site',
    'Gateway-Retry: 1',
    'Gateway-Retry: x',
    'Gateway-Timing: true',
    'Gateway-Timeout: 5',
    'Gateway-Connection: x',
    'Gateway-Loop: a',
    'Gateway-Rewrite-Links: true',
  ],
  ...[
    'Access-Control-Request-Method: GET',
    'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'X-HTTP-Method-Override: DELETE',
    'Idempotency-Key: x',
  ],
  ...[
    'Connection: close',
    'Connection: keep-alive',
    'Connection: Authorization',
    'Connection: Host, Content-Length',
    'Connection: X-A, close, Gateway-Loop',
    'Keep-Alive: timeout=5',
  ],
);
const oddField = pick(
  ...[
    'Expect: 100-continue',
    'Expect: 200-ok',
    'Expect: 100-continue, x',
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk',
  ],
  ...[
    'X-A: b\r\n c',
    'X-A: b\r\n\tTransfer-Encoding: chunked',
    ' X-A: b',
    'X-A : b',
    ': b',
    'X-A',
    'X A: b',
    'X-A: \x00',
    'X-A: \x0b',
    'X-A: \xff\xfe',
    'X-\xc3: b',
    'X-A: b\x7f',
    'X-A: b\rX-B: c',
    'X-A: b\nX-B: c',
  ],
  ...[
    'Proxy-Authorization: Basic x',
    'Proxy-Connection: close',
    'Trailer: X-T',
    'X-B: {{token}}',
    'X-Original-URL: /admin',
    'X-Rewrite-URL: /admin',
    'Max-Forwards: 0',
    '(x): y',
    '"x": y',
    'Content-Encoding: gzip',
  ],
);
const manyFields: fc.Arbitrary<Text> = fc.oneof(
  fc.integer({ min: 1, max: 3_000 }).map((times): Text => [{ run: 'X-M: 1\r\n', times }]),
  fc.integer({ min: 1, max: 40_000 }).map((times): Text => ['X-L: ', { run: 'v', times }, '\r\n']),
  fc.integer({ min: 1, max: 20_000 }).map((times): Text => ['Connection: ', { run: 'a,', times }, 'b\r\n']),
  fc.integer({ min: 1, max: 20_000 }).map((times): Text => [{ run: 'n', times }, ': v\r\n']),
);
export const fields: fc.Arbitrary<Text> = fc
  .array(
    fc.oneof(
      { weight: 10, arbitrary: plainField.map((line): Text => [`${line}\r\n`]) },
      { weight: 3, arbitrary: oddField.map((line): Text => [`${line}\r\n`]) },
      { weight: 1, arbitrary: manyFields },
    ),
    { maxLength: 4 },
  )
  .map((lines) => joinText(...lines));
