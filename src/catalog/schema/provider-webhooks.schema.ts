import { z } from 'zod';
import { headerName, sentHeaders } from './provider-fields.schema.ts';
import { registrationSchema } from './webhook-registration.schema.ts';
import { computedValue, place, signatureSchema } from './webhook-signature.schema.ts';

/** `header:X-Event=ping`, `body:type=url_verification`, `query:challenge`: a place that is there, or has this value. */
const condition = z
  .string()
  .max(200)
  .regex(
    /^!?(header|query|form|body):[^\s=]+(=.*)?$/,
    'a place, or a place=value; ! in front for its absence',
  );

/**
 * Templates over a webhook: `{path.in.the.item}`, `{root:path}` (in the whole body), `{parent:path}` (in the element of
 * the list one level above), `{header:Name}`, `{query:name}`. In a path `*` stands for the first member that leads on,
 * and `\.` for a dot in a name; `{.}` is the item itself. Of a list of templates the first whose placeholders all have a
 * value counts.
 */
const template = z.string().min(1).max(300);
const templates = z.union([template, z.array(template).min(1).max(12)]);

const answer = z.strictObject({
  status: z.int().min(200).max(299).default(200),
  headers: sentHeaders(template).default({}),
  /** Text of the answer; `{query:name}`, `{header:name}`, `{body:path}`, `{computed}` and `{keyName}` (the secret up to its colon) are filled in. */
  text: template.optional(),
  /** JSON of the answer: a member for each, with the same templates; numbers as they stand. */
  json: z.record(z.string(), z.union([template, z.int()])).optional(),
});

/** A request that is no event: the provider proves the address or hands over a secret. */
const handshake = z.strictObject({
  methods: z
    .array(z.enum(['GET', 'HEAD', 'POST']))
    .min(1)
    .default(['POST']),
  /** All of them hold; an empty list is every request with the method. */
  when: z.array(condition).max(5).default([]),
  /** The signature of the request is right, else it is no handshake (and fails as a webhook). */
  signed: z.literal(true).optional(),
  /** Place of the verify token; a wrong one gets no answer of a handshake. */
  verifyToken: place.optional(),
  /** Place of the secret that webhooks will be signed with. Only taken while none is known. */
  keepSecret: place.optional(),
  /** Place of the id of the registration whose secret it is, where each has one of its own. */
  registration: place.optional(),
  computed: computedValue.optional(),
  /** Status for a wrong verify token, where the provider wants another than 401. */
  refusal: z.int().min(400).max(499).optional(),
  answer: answer.prefault({}),
});

const secret = z.strictObject({
  /**
   * `client`: made of the client's values. `operator`: the provider's portal shows it, or the operator chooses it and
   * enters it in both. `gateway`: the gateway makes it up when it registers. `registration`: the answer has it.
   * `handshake`: a handshake brings it. `credential`: made of the connection's credential. `none`: there is none.
   */
  from: z.enum(['client', 'operator', 'gateway', 'registration', 'handshake', 'credential', 'none']),
  /** Of `{clientId}`, `{clientSecret}`, `{apiKey}`, `{username}`, `{password}`. */
  template: z.string().max(100).optional(),
  /** What the provider calls it, and where it stands. */
  title: z.string().max(80).optional(),
  hint: z.string().max(300).optional(),
});

const payload = z.strictObject({
  /** `form-json`: a form whose field `field` holds JSON; `multipart-json` the same. `empty`: headers say it all. */
  format: z.enum(['json', 'form', 'form-json', 'multipart-json', 'xml', 'jwt', 'empty']).default('json'),
  field: z.string().max(60).optional(),
  /** Path of a member whose text is Base64 of JSON (Pub/Sub): what it says stands in its place. */
  decode: z.string().max(60).optional(),
  /** List of the events: `[]` (the body is it), `events[]`, `entry[].changes[]`; the name of the element in XML. Several: the first that is there. */
  items: z.union([z.string().max(100), z.array(z.string().max(100)).min(1).max(4)]).optional(),
  /** Of `empty`: what the names of the headers begin with that are the event's data. */
  headerPrefix: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .optional(),
  /** Of `xml`: local names of the elements that templates name; `a.b` is a b within the first a, `a@b` an attribute. */
  xmlElements: z
    .array(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]*(?:[.@][A-Za-z][A-Za-z0-9_-]*)?$/))
    .max(20)
    .optional(),
  /** `root`: each item's data is the whole body (the list holds ids only). */
  data: z.enum(['item', 'root']).default('item'),
  eventType: templates.optional(),
  eventId: templates.optional(),
  objectId: templates.optional(),
  objectType: templates.optional(),
  account: templates.optional(),
  occurredAt: templates.optional(),
  occurredAtUnit: z.enum(['seconds', 'milliseconds', 'iso']).default('iso'),
  /**
   * What two webhooks with one event have in common: the object and something that moves with each change. Where absent,
   * the event's id, else its bytes where `objectId` and `occurredAt` have a value. `none`, and where there is nothing of
   * these: no event is dropped as a repetition.
   */
  dedupe: templates.optional(),
});

const CHANGES = ['created', 'updated', 'deleted', 'other'] as const;
const mapped = z.strictObject({ object: z.string().max(60), change: z.enum(CHANGES) });

/** How the provider's event types become `<object>.<change>`. */
const events = z.strictObject({
  /** Exact types. */
  names: z.record(z.string(), mapped).default({}),
  /** Between object and change in the other types: `.`; `camel`: a capital letter (`taskCreated`). */
  separator: z.string().min(1).max(5).default('.'),
  /** Where the change stands. */
  changeAt: z.enum(['first', 'last']).default('last'),
  /** The provider's words for changes, besides the usual ones (created, added, updated, changed, deleted, removed …). */
  changes: z.record(z.string(), z.enum(CHANGES)).default({}),
  /** The provider's words for objects, where the event's name should have another. */
  objects: z.record(z.string(), z.string().max(60)).default({}),
  /** Object of types that name none. */
  object: z.string().max(60).optional(),
});

/** What a provider file says of webhooks. Without `signature` and `payload` the gateway does not receive them. */
export const webhooksSchema = z.strictObject({
  /** The provider sends webhooks over HTTP. */
  supported: z.boolean(),
  docsUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** What a developer must know of them. */
  notes: z.array(z.string().max(500)).max(10).optional(),
  /** One address for all accounts, one for each connection, or either. */
  scope: z.enum(['application', 'connection', 'both']).optional(),
  registration: z.array(registrationSchema).min(1).max(5).optional(),
  /** The scopes of the application's token (RFC 6749 section 4.4) for calls with `authorization: application`. */
  clientToken: z.strictObject({ scopes: z.array(z.string().min(1).max(200)).max(20).default([]) }).optional(),
  signature: signatureSchema.optional(),
  /** Other schemes, by name; an integration chooses one of them in the place of `signature`, never a request. */
  alternatives: z.record(z.string().regex(/^[a-z0-9-]{1,30}$/), signatureSchema).optional(),
  secret: secret.optional(),
  /** Where the verify token comes from, if a handshake has one. */
  verifyToken: z.enum(['operator', 'gateway']).optional(),
  handshake: z.array(handshake).max(6).optional(),
  /** The answer to a webhook. */
  acknowledge: z
    .strictObject({
      status: z.int().min(200).max(299).default(200),
      body: z.string().max(1000).default(''),
      contentType: z.string().max(60).optional(),
      /** Headers of the webhook that the answer repeats. */
      echoHeaders: z.array(headerName).max(5).optional(),
      withinSeconds: z.number().positive().max(600).optional(),
    })
    .optional(),
  /** For how long the provider repeats what was not acknowledged. */
  retryHours: z.number().min(0).max(1000).optional(),
  payload: payload.optional(),
  events: events.optional(),
});

export type ProviderWebhooks = z.output<typeof webhooksSchema>;
export type WebhookHandshake = z.output<typeof handshake>;
export type WebhookPayload = z.output<typeof payload>;
export type WebhookEvents = z.output<typeof events>;
