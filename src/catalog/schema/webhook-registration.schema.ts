import { z } from 'zod';
import { dottedPath, sentHeaders } from './provider-fields.schema.ts';

/**
 * A call of the provider's API. Templates in `url`, `headers` and every text of `body`: variables of the provider,
 * `{webhookUrl}`, `{webhookSecret}`, `{webhookUser}` and `{webhookPassword}` (the secret around its colon), `{verifyToken}`,
 * `{webhookId}` and `{webhookNumber}` (chosen by the gateway, a UUID and an integer), `{registrationId}` (the answer's id;
 * `{registrationNumber}` as a whole text is the number), `{resourceId}`, `{expiresAt}`, `{expiresAtMs}`, `{clientId}`,
 * `{clientSecret}`, `{accountId}`, `{handshakeSecret}` and the declared parameters. `{event}` (and `{eventObject}`,
 * `{eventChange}`, around its last dot) where a registration is made for each event, or in an element of a list with
 * `each: "{event}"`, which is repeated for each of them, without `each`; `{events}` as a whole text is the list.
 */
const webhookCall = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
  /** Below the API base where it begins with a slash; an absolute address otherwise. */
  url: z
    .string()
    .max(1000)
    .regex(/^(?:\/|https?:\/\/|\{)[^\s\\]*$/, 'a path that begins with a slash, or an address'),
  headers: sentHeaders(z.string().max(500)).default({}),
  encoding: z.enum(['json', 'form']).default('json'),
  body: z.record(z.string(), z.unknown()).optional(),
});

const portal = z.strictObject({
  by: z.literal('portal'),
  /** What to do, with `{webhookUrl}`; where there are none, the setup steps of the file say it. */
  steps: z.array(z.string().max(600)).max(10).default([]),
});

const api = z.strictObject({
  by: z.literal('api'),
  /** With the connection's credential, as the client (Basic with client id and secret), with a token of the client, or none. */
  authorization: z.enum(['connection', 'client', 'application', 'none']).default('connection'),
  request: webhookCall,
  /** One registration for each event, in the place of one for all. */
  perEvent: z.literal(true).optional(),
  /** Values that the one who subscribes has to give, such as the id of a board; they are templates' values. */
  parameters: z
    .record(
      z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/),
      z.strictObject({ title: z.string().max(80), description: z.string().max(300).optional() }),
    )
    .default({}),
  /** Names of the provider's events that are subscribed to where none are asked for. */
  events: z.array(z.string().max(100)).max(200).default([]),
  /** Paths in the JSON of the answer. */
  answer: z
    .strictObject({
      id: dottedPath.optional(),
      resourceId: dottedPath.optional(),
      secret: dottedPath.optional(),
      expiresAt: dottedPath.optional(),
    })
    .default({}),
  /** Call that fetches the secret after registering. */
  secretRequest: webhookCall.extend({ secret: dottedPath }).optional(),
  /** Call that a handshake or a confirmation wants afterwards; `{handshakeSecret}` is what the handshake brought. */
  confirm: webhookCall.optional(),
  expiresSeconds: z.int().min(60).optional(),
  /** Prolongs the registration; `again`: a new one is made in its place, and the old one removed. */
  renew: z.union([webhookCall, z.literal('again')]).optional(),
  remove: webhookCall.optional(),
});

export const registrationSchema = z.discriminatedUnion('by', [portal, api]);

export type WebhookCall = z.output<typeof webhookCall>;
export type WebhookRegistration = z.output<typeof registrationSchema>;
