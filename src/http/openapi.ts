import { setImmediate } from 'node:timers/promises';
import type { Endpoint } from './endpoint.ts';
import { describeOperation, problemSchema } from './openapi-operation.ts';
import { createSchemaCollector, type Json } from './openapi-schemas.ts';
import { buildSecuritySchemes } from './openapi-security.ts';
import { describeMessages, type WebhookMessage } from './openapi-webhooks.ts';

type OpenApiOptions = {
  readonly publicUrl: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  /** What the gateway sends to others. */
  readonly webhooks?: readonly WebhookMessage[];
};

/**
 * The OpenAPI 3.1 document of the declared endpoints. The same endpoints give the same document. The event loop is
 * free after each operation, which takes some milliseconds.
 */
export async function buildOpenApiDocument(
  endpoints: readonly Endpoint[],
  options: OpenApiOptions,
): Promise<Json> {
  const schemas = createSchemaCollector();
  const problem = schemas.response(problemSchema);
  const paths: Record<string, Json> = {};
  for (const declared of endpoints) {
    const operations = paths[declared.path] ?? {};
    operations[declared.method] = describeOperation(declared, endpoints, schemas, problem);
    paths[declared.path] = operations;
    await setImmediate();
  }
  return {
    openapi: '3.1.1',
    info: {
      title: options.title ?? 'Integration Gateway',
      version: options.version,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      ...(options.description && { description: options.description }),
    },
    servers: [{ url: `${options.publicUrl}/v1` }],
    tags: options.tags ?? [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    ...(options.webhooks && { webhooks: describeMessages(options.webhooks, schemas) }),
    components: {
      schemas: schemas.components,
      securitySchemes: buildSecuritySchemes(options.publicUrl),
    },
  };
}
