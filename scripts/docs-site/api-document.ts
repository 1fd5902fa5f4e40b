import { z } from 'zod';

/** A JSON schema as far as the pages show it. */
const schemaNode = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), schemaNode).optional();
  },
  get items() {
    return schemaNode.optional();
  },
  get anyOf() {
    return z.array(schemaNode).optional();
  },
  get oneOf() {
    return z.array(schemaNode).optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), schemaNode]).optional();
  },
});

const content = z
  .record(z.string(), z.looseObject({ schema: schemaNode.optional(), example: z.unknown().optional() }))
  .optional();

const operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()).min(1),
  summary: z.string(),
  description: z.string(),
  deprecated: z.boolean().optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(
    z.looseObject({
      name: z.string(),
      in: z.string(),
      required: z.boolean().optional(),
      description: z.string().optional(),
      schema: schemaNode.optional(),
      example: z.unknown().optional(),
    }),
  ),
  requestBody: z
    .looseObject({ required: z.boolean().optional(), description: z.string().optional(), content })
    .optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string(), content })),
});

export const apiDocument = z.looseObject({
  info: z.looseObject({ description: z.string() }),
  tags: z.array(z.looseObject({ name: z.string(), description: z.string().default('') })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({
    schemas: z.record(z.string(), schemaNode),
    securitySchemes: z.record(z.string(), z.looseObject({ description: z.string().optional() })),
  }),
});

export type ApiDocument = z.infer<typeof apiDocument>;
export type Operation = z.infer<typeof operation>;
export type SchemaNode = z.infer<typeof schemaNode>;
