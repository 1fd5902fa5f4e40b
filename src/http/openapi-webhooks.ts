import type { z } from 'zod';
import type { Json, SchemaCollector } from './openapi-schemas.ts';

/** A kind of message that the gateway sends to an address of the application. */
export type WebhookMessage = {
  /** Unique among the messages: the type of event. */
  readonly name: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
  /** Header fields of the request, by name. */
  readonly headers: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  /** What the receiver may answer, by status. */
  readonly answers: Readonly<Record<string, string>>;
};

/** The `webhooks` of an OpenAPI 3.1 document. */
export function describeMessages(messages: readonly WebhookMessage[], schemas: SchemaCollector): Json {
  return Object.fromEntries(messages.map((message) => [message.name, { post: describe(message, schemas) }]));
}

function describe(message: WebhookMessage, schemas: SchemaCollector): Json {
  const { operationId, summary, description, tag, schema, example } = message;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    // A signature stands in for credentials.
    security: [],
    parameters: Object.entries(message.headers).map(([name, field]) => ({
      name,
      in: 'header',
      required: true,
      description: field.description,
      schema: { type: 'string' },
      example: field.example,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.response(schema), example } },
    },
    responses: Object.fromEntries(
      Object.entries(message.answers).map(([status, meaning]) => [status, { description: meaning }]),
    ),
  };
}
