import fc from 'fast-check';
import type { Text } from '../engine/text.ts';

/** Request lines, hosts and credentials on a raw socket: right ones, and those that servers have read in several ways. */

export const pick = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
export const method = fc.oneof(
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
export const target: fc.Arbitrary<Text> = fc.oneof(
  { weight: 12, arbitrary: ownPath.map((path): Text => [path]) },
  { weight: 4, arbitrary: otherPath.map((path): Text => [path]) },
  { weight: 1, arbitrary: longPath },
);

export const version = fc.oneof(
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

export const hosts = fc.oneof(
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
export const credentials = fc.oneof(
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
