import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { answerField, field } from './field-lines.ts';
import type { SentRequest } from './stage.ts';

/** What clients and providers may rightly say, in odd but legal ways. */

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

/**
 * With a length, in chunks of any size with extensions and trailers, or none at all. Node's parser refuses blanks before an
 * extension, which is a refusal and no difference.
 */
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
