import fc from 'fast-check';
import { joinText, type Text } from '../engine/text.ts';

/** What stands on a raw socket: requests that are right, and each of the ways in which servers have read one as another. */

const pick = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);

const SMUGGLED =
  'GET {{proxy}}/f/{{n}}/smuggled HTTP/1.1\r\nHost: {{host}}\r\nAuthorization: Bearer {{token}}\r\n\r\n';

const method = fc.oneof(
  { weight: 12, arbitrary: pick('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS') },
  {
    weight: 2,
    arbitrary: pick(
      'TRACE',
      'CONNECT',
      'PRI',
      'PROPFIND',
      'QUERY',
      'get',
      'G\x00T',
      'GET\t',
      '',
      'M-SEARCH',
      'GET\x0b',
    ),
  },
);

const pathPart = fc.oneof(
  { weight: 6, arbitrary: pick('a', 'b;v=1', '%20', '%41', 'c:d', "e'(f)*!$&,=@", '') },
  {
    weight: 4,
    arbitrary: pick(
      ...[
        '..',
        '.',
        '%2e%2e',
        '.%2E',
        '%2f',
        '%2F..%2f',
        '%5c',
        '\\',
        '..;x',
        '%00',
        '%0d%0aX: y',
        '%',
        '%zz',
        '%u0041',
      ],
      ...[
        '\xff\xfe',
        '\xc3\xa9',
        '\x00',
        '\t',
        ' ',
        '#x',
        '{{token}}',
        '%25%32%65',
        '..%00',
        '%c0%ae%c0%ae',
        '//',
        '~',
        '[x]',
        '|',
      ],
    ),
  },
);
const query = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  {
    weight: 3,
    arbitrary: pick(
      '?',
      '?a=1',
      '?a=1&a=2',
      '?a[]=1',
      '??',
      '?%',
      '?a=%00',
      '?#',
      '?a=\x80',
      '?access_token={{token}}',
      '?a=http://x/../',
    ),
  },
);
const ownPath = fc
  .tuple(fc.array(pathPart, { maxLength: 4 }), query)
  .map(([parts, behind]) => `{{proxy}}/f/{{n}}/${parts.join('/')}${behind}`);

const otherPath = pick(
  ...[
    '/',
    '*',
    '/livez',
    '/readyz',
    '/v1/connections',
    '/v1/providers?limit=1',
    '/v1/events?wait=0',
    '/connect/x',
    '/oauth/callback',
  ],
  ...[
    '/oauth/callback?state=x&code=y',
    '/webhooks/00000000-0000-7000-8000-000000000000',
    '/docs/errors',
    '/metrics',
    '/.well-known/integration-gateway',
  ],
  ...[
    'http://{{host}}{{proxy}}/f/{{n}}/absolute',
    'http://elsewhere.test/',
    'https://{{host}}/livez',
    '{{host}}',
    'elsewhere.test:443',
    '//elsewhere.test/',
  ],
  ...[
    '/projects/{{project}}/mcp',
    '/projects/{{project}}/proxy/unknown/x',
    '/projects/{{project}}/proxy/notes~x/y',
    '/projects/x/proxy/notes/y',
  ],
  ...[
    '/projects/{{project}}/proxy',
    '/projects/{{project}}/proxy/',
    '/PROJECTS/{{project}}/proxy/notes/f',
    '/projects/{{project}}/proxy/n%6ftes/f/{{n}}',
  ],
  ...[
    '/projects/{{project}}/proxy/notes?x=/y',
    '/v1/%',
    '/v1/..%2f..%2f',
    '/dashboard/%2e%2e/x',
    '/sdk.js/../x',
    '/v1/integrations/%00',
    '/logos/%ff',
  ],
);
const longPath = fc
  .integer({ min: 1, max: 20_000 })
  .map((times): Text => ['{{proxy}}/f/{{n}}/', { run: 'a', times }]);
const target: fc.Arbitrary<Text> = fc.oneof(
  { weight: 12, arbitrary: ownPath.map((path): Text => [path]) },
  { weight: 4, arbitrary: otherPath.map((path): Text => [path]) },
  { weight: 1, arbitrary: longPath },
);

const version = fc.oneof(
  { weight: 16, arbitrary: fc.constant(' HTTP/1.1\r\n') },
  {
    weight: 2,
    arbitrary: pick(
      ' HTTP/1.0\r\n',
      ' HTTP/2.0\r\n',
      ' HTTP/0.9\r\n',
      '\r\n',
      ' http/1.1\r\n',
      '  HTTP/1.1\r\n',
      ' HTTP/1.1 \r\n',
      ' HTTP/1.1\n',
      ' HTTP/1.1\r',
      ' HTTP/1.10\r\n',
      ' HTTP/01.1\r\n',
    ),
  },
);

const hosts = fc.oneof(
  { weight: 14, arbitrary: fc.constant('Host: {{host}}\r\n') },
  {
    weight: 2,
    arbitrary: pick(
      '',
      'Host: {{host}}\r\nHost: {{host}}\r\n',
      'Host: elsewhere.test\r\n',
      'Host:\r\n',
      'Host: a b\r\n',
      'Host: {{host}}/x\r\n',
      'Host: u@{{host}}\r\n',
      'hOST:{{host}}\r\n',
      'Host: {{host}}\r\nhost: elsewhere.test\r\n',
      'Host: [::1\r\n',
      'Host: \xff\r\n',
    ),
  },
);
const credentials = fc.oneof(
  { weight: 14, arbitrary: fc.constant('Authorization: Bearer {{token}}\r\n') },
  {
    weight: 2,
    arbitrary: pick(
      '',
      'authorization:bearer  {{token}}\r\n',
      'Authorization: Bearer {{token}}\r\nAuthorization: Bearer {{token}}\r\n',
      'Authorization: Basic {{token}}\r\n',
      'Authorization:\r\n',
      'Authorization: Bearer\r\n',
      'Authorization : Bearer {{token}}\r\n',
      'Authorization_: Bearer {{token}}\r\n',
      'Authorization: Bearer {{token}}, Bearer {{token}}\r\n',
    ),
  },
);

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
const fields: fc.Arbitrary<Text> = fc
  .array(
    fc.oneof(
      { weight: 10, arbitrary: plainField.map((line): Text => [`${line}\r\n`]) },
      { weight: 3, arbitrary: oddField.map((line): Text => [`${line}\r\n`]) },
      { weight: 1, arbitrary: manyFields },
    ),
    { maxLength: 4 },
  )
  .map((lines) => joinText(...lines));

const content = fc.oneof(
  pick('', 'hello', '{"a":1}', SMUGGLED, `0\r\n\r\n${SMUGGLED}`, '\r\n', '\x00\xff'),
  fc.string({ maxLength: 40 }).map((text) => Buffer.from(text).toString('latin1')),
);
const lengthOf = (text: string) => Buffer.byteLength(text, 'latin1');
/** Length of text with names in it, whose values are known when it is sent only; so such bodies get chunks or a wrong length. */
const plainContent = content.filter((text) => !text.includes('{{'));

const rightBody: fc.Arbitrary<Text> = fc.oneof(
  fc.constant<Text>(['\r\n']),
  plainContent.map((text): Text => [`Content-Length: ${lengthOf(text)}\r\n\r\n${text}`]),
  fc
    .array(
      plainContent.filter((text) => text !== ''),
      { maxLength: 3 },
    )
    .map(
      (chunks): Text => [
        `Transfer-Encoding: chunked\r\n\r\n${chunks.map((text) => `${lengthOf(text).toString(16)}\r\n${text}\r\n`).join('')}0\r\n\r\n`,
      ],
    ),
  fc
    .integer({ min: 0, max: 300_000 })
    .map((times): Text => [`Content-Length: ${times}\r\n\r\n`, { run: 'z', times }]),
);

const lengths = pick(
  '0',
  '1',
  '5',
  '+5',
  '-1',
  '0x5',
  '5, 5',
  '05',
  '5 ',
  '4294967296',
  '18446744073709551616',
  '1e1',
  '',
  '5\x00',
  '99999999999',
);
const codings = pick(
  ...[
    'chunked',
    'Chunked',
    'xchunked',
    'chunked, identity',
    'identity',
    'gzip, chunked',
    'chunked\x0b',
    '\tchunked',
    '"chunked"',
    'chunked;q=1',
    'chunked,',
    ', chunked',
    '\x00chunked',
    '',
  ],
);
const framing = fc.oneof(
  lengths.map((value) => `Content-Length: ${value}\r\n`),
  codings.map((value) => `Transfer-Encoding: ${value}\r\n`),
  fc
    .tuple(lengths, codings)
    .map(([length, coding]) => `Content-Length: ${length}\r\nTransfer-Encoding: ${coding}\r\n`),
  fc
    .tuple(codings, lengths)
    .map(([coding, length]) => `Transfer-Encoding: ${coding}\r\nContent-Length: ${length}\r\n`),
  fc.tuple(lengths, lengths).map(([one, other]) => `Content-Length: ${one}\r\nContent-Length: ${other}\r\n`),
  fc
    .tuple(codings, codings)
    .map(([one, other]) => `Transfer-Encoding: ${one}\r\nTransfer-Encoding: ${other}\r\n`),
  pick(
    'Transfer-Encoding : chunked\r\n',
    'Transfer_Encoding: chunked\r\n',
    'Transfer-Encoding:\r\n chunked\r\n',
    'Transfer-Encoding: chunked\n',
    'X: y\nTransfer-Encoding: chunked\r\n',
    'Content-Length: 5\rTransfer-Encoding: chunked\r\n',
    'Content_Length: 5\r\n',
  ),
);
const chunkStart = pick(
  '5',
  '0',
  '05',
  '5;a=b',
  '5 ;a',
  '5;a="\r\n"',
  '5;\nx',
  '0x5',
  '-5',
  '+5',
  '5 ',
  ' 5',
  '5\x00',
  'G',
  'FFFFFFFFFFFFFFFFF',
  '80000000',
  '5;x\rx',
  '',
);
const chunks = fc
  .tuple(
    fc.array(
      fc.tuple(
        chunkStart,
        pick('\r\n', '\n', '\r', ''),
        pick('hello', 'hell', 'hello!', ''),
        pick('\r\n', '\n', '\rX', ''),
      ),
      { maxLength: 3 },
    ),
    pick(
      '0\r\n\r\n',
      '0\r\nX-T: 1\r\n\r\n',
      '0\r\nContent-Length: 50\r\n\r\n',
      '0\r\nHost: x\r\nAuthorization: y\r\n\r\n',
      '0\r\n',
      '0\n\n',
      '00\r\n\r\n',
      '0;a\r\n\r\n',
      '0\r\n X: y\r\n\r\n',
      '0\r\nX\r\n\r\n',
      '',
    ),
  )
  .map(([parts, end]) => `${parts.map((part) => part.join('')).join('')}${end}`);
const longTrailers = fc
  .integer({ min: 1, max: 4_000 })
  .map((times): Text => ['Transfer-Encoding: chunked\r\n\r\n0\r\n', { run: 'X-T: 1\r\n', times }, '\r\n']);
const longExtensions = fc
  .integer({ min: 1, max: 40_000 })
  .map((times): Text => ['Transfer-Encoding: chunked\r\n\r\n1;', { run: 'a', times }, '\r\nx\r\n0\r\n\r\n']);
const oddBody: fc.Arbitrary<Text> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(framing, fc.oneof(content, chunks))
      .map(([head, body]): Text => [`${head}\r\n${body}`]),
  },
  { weight: 1, arbitrary: longTrailers },
  { weight: 1, arbitrary: longExtensions },
);

const request: fc.Arbitrary<Text> = fc
  .record({
    lead: fc.oneof(
      { weight: 20, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: pick('\r\n', '\n', ' ', '\x16\x03\x01', '\xef\xbb\xbf', '\r\n\r\n') },
    ),
    method,
    target,
    version,
    hosts,
    credentials,
    fields,
    rest: fc.oneof({ weight: 3, arbitrary: rightBody }, { weight: 2, arbitrary: oddBody }),
  })
  .map((part) =>
    joinText(
      [`${part.lead}${part.method} `],
      part.target,
      [`${part.version}${part.hosts}${part.credentials}`],
      part.fields,
      part.rest,
    ),
  );

const preface: Text = ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00'];

/** One or several requests behind each other, and one at the end by which what stands before is told from what follows. */
export const httpBytes: fc.Arbitrary<Text> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .tuple(fc.array(request, { minLength: 1, maxLength: 3 }), fc.constantFrom<Text>([], [SMUGGLED]))
      .map(([requests, last]) => joinText(...requests, last)),
  },
  { weight: 1, arbitrary: fc.constant(preface) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 200 })
      .map((bytes): Text => [Buffer.from(bytes).toString('latin1')]),
  },
);
