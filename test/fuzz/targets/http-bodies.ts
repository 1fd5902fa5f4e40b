import fc from 'fast-check';
import type { Text } from '../engine/text.ts';

import { pick } from './http-lines.ts';

/** Framing and bodies on a raw socket, each family by which requests have been smuggled among them. */

export const SMUGGLED =
  'GET {{proxy}}/f/{{n}}/smuggled HTTP/1.1\r\nHost: {{host}}\r\nAuthorization: Bearer {{token}}\r\n\r\n';

const content = fc.oneof(
  pick('', 'hello', '{"a":1}', SMUGGLED, `0\r\n\r\n${SMUGGLED}`, '\r\n', '\x00\xff'),
  fc.string({ maxLength: 40 }).map((text) => Buffer.from(text).toString('latin1')),
);
const lengthOf = (text: string) => Buffer.byteLength(text, 'latin1');
/** Length of text with names in it, whose values are known when it is sent only; so such bodies get chunks or a wrong length. */
const plainContent = content.filter((text) => !text.includes('{{'));

export const rightBody: fc.Arbitrary<Text> = fc.oneof(
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
export const oddBody: fc.Arbitrary<Text> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(framing, fc.oneof(content, chunks))
      .map(([head, body]): Text => [`${head}\r\n${body}`]),
  },
  { weight: 1, arbitrary: longTrailers },
  { weight: 1, arbitrary: longExtensions },
);
