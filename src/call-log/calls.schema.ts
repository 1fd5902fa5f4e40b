import { z } from 'zod';
import { TOKEN_FAULTS } from '../http/token-refusal.ts';
import { listQuery } from '../lib/cursor.ts';
import { tagQuery } from '../lib/tags.schema.ts';
import { findRemedy, ORIGINS } from './call-outcome.ts';
import type { CallRecord } from './call-record.ts';

export const callSchema = z
  .object({
    requestId: z.uuid().meta({ description: 'As `Gateway-Request-Id` of the answer had it.' }),
    at: z.iso.datetime(),
    method: z.string(),
    path: z.string().meta({
      description: 'Of the provider’s API, without the query; long segments and parameters are cut.',
    }),
    provider: z.string(),
    integrationId: z.uuid().nullable(),
    connectionId: z.uuid().nullable(),
    userId: z
      .string()
      .nullable()
      .meta({ description: 'The application’s id of the user; null where the token was refused.' }),
    organizationId: z.string().nullable().meta({
      description: 'The application’s id of the organization that the token names.',
    }),
    status: z.number().meta({ description: 'As sent to the caller; 0 where the caller left before.' }),
    origin: z.enum(ORIGINS).meta({ description: 'Whose error it was.' }),
    code: z
      .string()
      .nullable()
      .meta({ description: 'An error code of the gateway, `cut_off` or `caller_gone`.' }),
    remedy: z.string().nullable(),
    tokenFault: z.enum(TOKEN_FAULTS).nullable().meta({
      description:
        'Why the user token was refused; docs/user-tokens.md explains each. Null: it was not, or this call was not looked at.',
    }),
    attempts: z.number().meta({ description: 'Requests to the provider; 0 where the call was refused.' }),
    durationMs: z.number(),
    gatewayMs: z.number(),
    providerMs: z
      .number()
      .meta({ description: 'While a request to the provider or its answer was under way.' }),
    requestBytes: z.number(),
    responseBytes: z.number(),
    traceId: z.string().nullable(),
    mandates: z
      .array(
        z.object({
          id: z.string().meta({
            description: 'Of a mandate of the project its id; of entries in the token a digest of them.',
          }),
          entry: z.number().nullable().meta({
            description: 'Index of the entry that allowed the call; null where it was refused.',
          }),
        }),
      )
      .meta({ description: 'What the token might do; empty: it had no mandate.' }),
    actors: z
      .array(z.object({ id: z.string(), name: z.string().nullable() }))
      .meta({ description: 'Who acted for the user, as the token says, the current actor first.' }),
  })
  .meta({ id: 'Call' });

export const callList = z
  .object({ calls: z.array(callSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'CallList' });

export const callParams = z.strictObject({ projectId: z.uuid(), requestId: z.uuid() });

export const callsQuery = z.strictObject({
  ...listQuery,
  requestId: z.uuid().optional(),
  connectionId: z.uuid().optional(),
  integrationId: z.uuid().optional(),
  provider: z.string().max(100).optional(),
  userId: z.string().max(255).optional(),
  organizationId: z.string().max(255).optional().meta({
    description: 'Your own id of the organization that the token named.',
  }),
  ...tagQuery,
  status: z
    .string()
    .regex(/^(?:\d{3}|[1-5]xx|0)$/, 'A status such as 404, a class such as 4xx, or 0')
    .optional(),
  origin: z.enum(ORIGINS).optional(),
  mandateId: z.string().max(60).optional().meta({
    description: 'A mandate’s id, or the digest of entries that stood in tokens.',
  }),
  actor: z.string().max(255).optional().meta({ description: 'The id of anyone in the chain of actors.' }),
});

export type CallWire = z.input<typeof callSchema>;

/** A kept call as callers of the API see it. */
export function callWire(call: CallRecord): CallWire {
  const { durationMs, providerMs } = call;
  return {
    requestId: call.requestId,
    at: call.at.toISOString(),
    method: call.method,
    path: call.path,
    provider: call.provider,
    integrationId: call.integrationId,
    connectionId: call.connectionId,
    userId: call.subject,
    organizationId: call.organization,
    status: call.status,
    origin: call.origin,
    code: call.code,
    remedy: findRemedy(call.code),
    tokenFault: call.tokenFault,
    attempts: call.attempts,
    durationMs,
    gatewayMs: Math.round(Math.max(0, durationMs - providerMs) * 1000) / 1000,
    providerMs,
    requestBytes: call.requestBytes,
    responseBytes: call.responseBytes,
    traceId: call.traceId,
    mandates: [...call.mandates],
    actors: call.actors.map(({ id, name = null }) => ({ id, name })),
  };
}
