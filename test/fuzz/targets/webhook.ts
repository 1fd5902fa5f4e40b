import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { z } from 'zod';
import { signWebhook } from '../../webhooks/sign-webhook.ts';
import { ask, toFieldValue } from '../engine/ask.ts';
import type { FuzzStage, WebhookSender } from '../engine/stage.ts';
import type { Target } from '../engine/target.ts';
import { joinText, type Piece, renderText, type Text, textSchema } from '../engine/text.ts';
import { findPoisoned } from './http.ts';
import { jsonDocument } from './json-inputs.ts';

const TAMPERINGS = ['none', 'none', 'body', 'signature', 'twice', 'empty', 'old', 'long'] as const;

const schema = z.strictObject({
  /** Which of the stage's senders, by the remainder of its number. */
  sender: z.int().min(0).max(1_000),
  body: textSchema,
  contentType: z.string().optional(),
  query: z.string(),
  fields: z.array(z.tuple([z.string(), z.string()])).max(4),
  /** Whether it is signed as the provider would, and what becomes of that on the way. */
  tampering: z.enum(TAMPERINGS).optional(),
  isPacked: z.boolean(),
  method: z.string(),
});
export type WebhookInput = z.infer<typeof schema>;

const SHAPED = [
  '{"type":"url_verification","challenge":"<script>alert(1)</script>"}',
  '{"challenge":"x\\r\\nX: y"}',
  '{"type":"a","id":"{{n}}"}',
  '{"event":"endpoint.url_validation","payload":{"plainToken":"x"}}',
  '[{"eventId":{{n}},"subscriptionType":"a","portalId":1,"objectId":1,"occurredAt":1}]',
  '{"value":[{"clientState":"x","changeType":"a","resourceData":{"id":"1"}}]}',
  '{"validationTokens":["x"],"value":[]}',
  '{"id":"{{n}}","object":"event","type":"x","data":{"object":{}}}',
];
const FORMS = [
  'a=b',
  'a=b&a=c',
  '__proto__[x]=1&constructor.prototype=2',
  'payload=%7B%22a%22%3A1%7D',
  'payload=%7B',
  'a=%',
  'a=%00',
  'a[b][c]=1',
  '&&&=&',
  'verifier=x&callback=1',
  '%C0%AE=1',
  'challenge=<b>',
];
const form: fc.Arbitrary<Text> = fc.oneof(
  fc.constantFrom(...FORMS).map((text): Text => [text]),
  fc
    .tuple(fc.constantFrom('a=1&', 'a[]=1&', '%41', '&', '=', 'a'), fc.integer({ min: 1, max: 100_000 }))
    .map(([run, times]): Text => [{ run, times }]),
);
const disposition = fc.constantFrom(
  'name="a"',
  'name="payload"',
  'name="__proto__"',
  'name=a; filename="x"',
  'filename="../x"',
  'name="a\r\nX: y"',
  'name="',
  '',
);
const multipart: fc.Arbitrary<Text> = fc
  .tuple(
    fc.array(fc.tuple(disposition, fc.constantFrom('1', '{"a":1}', '--x', '\r\n--x\r\n', '\x00')), {
      maxLength: 4,
    }),
    fc.integer({ min: 0, max: 5_000 }),
    fc.constantFrom('--x--\r\n', '--x', '', '--x--'),
  )
  .map(([parts, times, end]) =>
    joinText(
      parts.map(([name, content]) => `--x\r\nContent-Disposition: form-data; ${name}\r\n\r\n${content}\r\n`),
      times > 4_000 ? [{ run: '--x\r\n\r\n\r\n', times }] : [],
      [end],
    ),
  );
const xml: fc.Arbitrary<Text> = fc.oneof(
  fc.constantFrom<Text>(
    ['<a/>'],
    ['<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
    ['<a><b>1</b></a>'],
    ['<a'],
    ['<a b="c">'],
  ),
  fc.integer({ min: 1, max: 30_000 }).map((times): Text => [{ run: '<a>', times }]),
);
const body: fc.Arbitrary<Text> = fc.oneof(
  { weight: 6, arbitrary: jsonDocument },
  { weight: 4, arbitrary: fc.constantFrom(...SHAPED).map((text): Text => [text]) },
  { weight: 3, arbitrary: form },
  { weight: 2, arbitrary: multipart },
  { weight: 1, arbitrary: xml },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 100_000, max: 2_000_000 })
      .map((times): Text => ['"', { run: 'z', times }, '"']),
  },
);

/** Webhooks of every way to sign, to addresses that anybody may know. Nothing that is not signed is acknowledged as an event. */
export const webhookTarget: Target<WebhookInput> = {
  name: 'webhook',
  schema,
  inputs: fc.record({
    sender: fc.nat({ max: 200 }),
    body: body.map((text): Piece[] => [...text]),
    contentType: fc.option(
      fc.constantFrom(
        'application/json',
        'application/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'multipart/form-data',
        'text/xml',
        'application/json; charset=utf-16',
        'application/json; charset=utf-7',
        'application/cloudevents+json',
        'text/plain',
        'x',
        'multipart/form-data; boundary="',
        'application/json, text/html',
      ),
      { nil: undefined, freq: 8 },
    ),
    query: fc.oneof(
      { weight: 6, arbitrary: fc.constant('') },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          '?validationToken=<script>',
          '?hub.challenge=x&hub.mode=subscribe&hub.verify_token=y',
          '?a=%0d%0aX:y',
          '?crc_token=x',
          '?a=1&a=2',
          '?%',
          '?challenge=%00',
          '?__proto__=1',
        ),
      },
    ),
    fields: fc.array(
      fc.constantFrom<[string, string]>(
        ['X-Hook-Secret', 'x'],
        ['X-Hub-Signature-256', 'sha256='],
        ['Stripe-Signature', 't=1,v1=x'],
        ['Authorization', 'Basic Og=='],
        ['Authorization', 'Bearer e30.e30.'],
        ['webhook-id', 'x'],
        ['webhook-signature', 'v1,AA== v1,'],
        ['X-Shopify-Hmac-Sha256', '===='],
        ['svix-signature', ','],
        ['Content-Encoding', 'deflate'],
        ['X-Twilio-Signature', 'ü'],
        ['X-Goog-Resource-State', 'sync'],
        ['Expect', '100-continue'],
      ),
      { maxLength: 2 },
    ),
    tampering: fc.option(fc.constantFrom(...TAMPERINGS), { nil: undefined, freq: 4 }),
    isPacked: fc.oneof(
      { weight: 8, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    method: fc.oneof(
      { weight: 10, arbitrary: fc.constant('POST') },
      { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'HEAD') },
    ),
  }),
  statedFaults: new Set(['store_unavailable', 'overloaded']),
  shortCount: 250,
  async send(stage, input) {
    const number = String(stage.nextNumber());
    const sender = stage.senders[input.sender % stage.senders.length];
    if (sender === undefined) throw new Error('no sender');
    const plain = Buffer.from(renderText(input.body, { ...stage.values, n: number }), 'latin1');
    const given = input.isPacked ? gzipSync(plain) : plain;
    const fields = new Map(input.fields.map(([name, value]) => [name.toLowerCase(), [toFieldValue(value)]]));
    if (input.contentType !== undefined) fields.set('content-type', [input.contentType]);
    if (input.isPacked) fields.set('content-encoding', ['gzip']);
    const request = tamper(input, sign(stage, sender, { ...input, body: given, fields }));
    const path = `${sender.path}${request.query === '' ? '' : `?${request.query}`}`;
    const answer = await ask(stage.client, stage.values.host, {
      method: input.method,
      path,
      fields: [...request.headers].flatMap(([name, values]) =>
        values.map((value) => [name, toFieldValue(value)] as const),
      ),
      body: input.method === 'POST' || input.method === 'PUT' ? request.body : undefined,
    });
    const type = answer.fields.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    const faults = [
      ...(/html|xml|javascript/i.test(type) ? [`an answer of the type ${type}`] : []),
      ...(await findPoisoned(stage, number)),
    ];
    return { answers: [answer], faults };
  },
};

type Signed = {
  readonly query: string;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
};

/** Signed where the sender's secret is known and its way to sign takes such a body. */
function sign(
  stage: FuzzStage,
  { description, path, secret }: WebhookSender,
  {
    query,
    fields,
    body: bytes,
    method,
    tampering,
  }: Pick<WebhookInput, 'query' | 'method' | 'tampering'> & {
    readonly fields: Map<string, string[]>;
    readonly body: Buffer;
  },
): Signed {
  const given = {
    method,
    url: `${stage.gateway.url}${path}`,
    query: query.slice(1),
    headers: fields,
    body: bytes,
  };
  if (tampering === undefined || secret === undefined) return given;
  try {
    return signWebhook(
      description,
      given,
      secret,
      tampering === 'old' ? Date.now() - 86_400_000 : Date.now(),
    );
  } catch {
    return given;
  }
}

function tamper({ tampering }: WebhookInput, request: Signed): Signed {
  const change = (rewrite: (values: readonly string[]) => readonly string[]): Signed => ({
    ...request,
    headers: new Map(
      [...request.headers].map(([name, values]) => [
        name,
        /sign|hmac|token|auth/.test(name) ? rewrite(values) : values,
      ]),
    ),
  });
  if (tampering === 'body') return { ...request, body: Buffer.concat([request.body, Buffer.from(' ')]) };
  if (tampering === 'signature') return change((values) => values.map((value) => `${value.slice(0, -2)}00`));
  if (tampering === 'twice') return change((values) => [...values, ...values]);
  if (tampering === 'empty') return change(() => ['']);
  return tampering === 'long'
    ? change((values) => values.map((value) => value.repeat(50).slice(0, 8_000)))
    : request;
}
