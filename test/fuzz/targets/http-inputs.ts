import fc from 'fast-check';
import { joinText, type Text } from '../engine/text.ts';

import { oddBody, rightBody, SMUGGLED } from './http-bodies.ts';
import { fields } from './http-fields.ts';
import { credentials, hosts, method, pick, target, version } from './http-lines.ts';

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

/** One or several requests behind each other, and one at the end by which what stands before is distinguished from what follows. */
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
