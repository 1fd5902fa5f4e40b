import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { hostCookieName } from './cookies.ts';
import type { Endpoint, OtherSuccess } from './endpoint.ts';
import { ERROR_CODES, ERRORS, type ErrorCode, publicCode } from './error-codes.ts';
import type { ProblemMembers } from './errors.ts';
import {
  ENTITY_TAG,
  headerField,
  headerParameters,
  isReadable,
  isVersioned,
  NOT_MODIFIED,
  RATE_LIMIT,
  REQUEST_ID,
  RETRY_AFTER,
} from './openapi-headers.ts';
import { createSchemaCollector, type Json, type SchemaCollector } from './openapi-schemas.ts';
import { describeMessages, type WebhookMessage } from './openapi-webhooks.ts';
import { namePrincipals, type PrincipalKind } from './principal.ts';

/** What `HttpError` may say beyond the usual members. */
const problemMembers = {
  connectionId: z.uuid().optional().meta({ description: 'The connection that needs a new authorization.' }),
  connectionIds: z
    .array(z.uuid())
    .optional()
    .meta({ description: 'The connections to choose from, for `connection_ambiguous`.' }),
  connectionCount: z.int().optional().meta({ description: 'How many connections fit.' }),
  integrationIds: z
    .array(z.uuid())
    .optional()
    .meta({ description: 'The integrations to choose from, for `integration_ambiguous`.' }),
  grants: z.array(z.string()).optional().meta({ description: 'The grants to choose from.' }),
} satisfies Readonly<Record<Exclude<keyof ProblemMembers, 'failing' | 'hosts'>, z.ZodType>>;

const problemSchema = z
  .object({
    type: z.url().meta({ description: 'The page that explains the code.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What went wrong this time.' }),
    remedy: z.string().meta({ description: 'What to do about it.' }),
    retryable: z.boolean().meta({ description: 'Whether the same request may succeed later.' }),
    code: z.string().meta({ description: 'Stable name of the error; also in `Gateway-Error`.' }),
    requestId: z.uuid().meta({ description: 'Names the request in the log; also in `Gateway-Request-Id`.' }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'The faults in the input, for `invalid_request`: the first twenty.' }),
    ...problemMembers,
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457).' });

const SECURITY = {
  operator: 'operatorToken',
  api_key: 'apiKey',
  end_user: 'userToken',
} as const satisfies Readonly<Record<PrincipalKind, string>>;

/** An operator has a second way in, besides the token: the cookie of a session. */
const SESSION_COOKIE = 'operatorSession';

const SECURITY_SCHEMES = {
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'Personal access token of an operator (`igo_…`).',
  },
  apiKey: { type: 'http', scheme: 'bearer', description: 'Project API key (`igk_…`), for backends only.' },
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'User token: a JWT signed with a signing key of the project, or made by `POST /user-tokens`. One whose `aud` is not the project id (a JWKS with an audience of its own) needs `Gateway-Project: <project id>` beside it.',
  },
} satisfies Record<(typeof SECURITY)[PrincipalKind], Json>;

function securityOf({ principals }: Endpoint): Json[] {
  return principals.flatMap((kind) => [
    { [SECURITY[kind]]: [] },
    ...(kind === 'operator' ? [{ [SESSION_COOKIE]: [] }] : []),
  ]);
}

function sessionScheme(publicUrl: string): Json {
  return {
    type: 'apiKey',
    in: 'cookie',
    name: hostCookieName('gateway_session', publicUrl),
    description:
      'Session of a signed-in operator (`POST /sessions`). A request that changes something needs `Origin` or `Sec-Fetch-Site` of the gateway’s own origin. The cookie is not looked at beside an `Authorization` field.',
  };
}

type OpenApiOptions = {
  readonly publicUrl: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  /** What the gateway sends to others. */
  readonly webhooks?: readonly WebhookMessage[];
};

/** The OpenAPI 3.1 document of the declared endpoints. Pure: the same endpoints give the same document. */
export function createOpenApiDocument(endpoints: readonly Endpoint[], options: OpenApiOptions): Json {
  const steps = describeInSteps(endpoints, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same document, made in steps of some milliseconds between which the event loop is free. */
export async function buildOpenApiDocument(
  endpoints: readonly Endpoint[],
  options: OpenApiOptions,
): Promise<Json> {
  const steps = describeInSteps(endpoints, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}

/** Pauses after each operation. */
function* describeInSteps(
  endpoints: readonly Endpoint[],
  options: OpenApiOptions,
): Generator<undefined, Json, undefined> {
  const schemas = createSchemaCollector();
  const problem = schemas.response(problemSchema);
  const paths: Record<string, Json> = {};
  for (const declared of endpoints) {
    const operations = paths[declared.path] ?? {};
    operations[declared.method] = operation(declared, endpoints, schemas, problem);
    paths[declared.path] = operations;
    yield;
  }
  return {
    openapi: '3.1.1',
    info: {
      title: options.title ?? 'Integration Gateway',
      version: options.version,
      ...(options.description && { description: options.description }),
    },
    servers: [{ url: `${options.publicUrl}/v1` }],
    tags: options.tags ?? [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    ...(options.webhooks && { webhooks: describeMessages(options.webhooks, schemas) }),
    components: {
      schemas: schemas.components,
      securitySchemes: { ...SECURITY_SCHEMES, [SESSION_COOKIE]: sessionScheme(options.publicUrl) },
    },
  };
}

function operation(
  declared: Endpoint,
  endpoints: readonly Endpoint[],
  schemas: SchemaCollector,
  problem: Json,
): Json {
  const callers =
    declared.principals.length > 0 ? `For ${namePrincipals(declared.principals)}.` : 'Open to all.';
  return {
    operationId: declared.operationId,
    tags: [declared.tag],
    summary: declared.summary,
    description: [declared.description, callers].filter(Boolean).join('\n\n'),
    security: securityOf(declared),
    parameters: [
      ...parametersOf(declared.params, 'path', schemas),
      ...parametersOf(declared.query, 'query', schemas),
      ...headerParameters(declared, endpoints),
    ],
    ...(declared.body && {
      'x-body-bytes-max': declared.bodyBytesMax,
      requestBody: {
        description: `At most ${bytesInWords(declared.bodyBytesMax)}.`,
        required: !z.core.safeParse(declared.body, {}).success,
        content: {
          'application/json': {
            schema: schemas.request(declared.body),
            ...(declared.requestExample !== undefined && { example: declared.requestExample }),
          },
        },
      },
    }),
    responses: {
      [declared.success.status]: success(declared, endpoints, schemas),
      ...(declared.otherSuccess && {
        [declared.otherSuccess.status]: otherSuccess(declared.otherSuccess, schemas),
      }),
      ...(declared.method === 'get' && isVersioned(declared, endpoints) && { 304: NOT_MODIFIED }),
      ...problems(declared, problem),
    },
  };
}

function bytesInWords(bytes: number): string {
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

function parametersOf(
  schema: z.ZodObject | undefined,
  place: 'path' | 'query',
  schemas: SchemaCollector,
): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, member]) => {
    const { description, ...rest } = schemas.request(member);
    return {
      name,
      in: place,
      required: place === 'path' || !z.core.safeParse(member, undefined).success,
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

function success(declared: Endpoint, endpoints: readonly Endpoint[], schemas: SchemaCollector): Json {
  const { schema, description, status, mediaTypes } = declared.success;
  const isTagged =
    (status === 200 && isVersioned(declared, endpoints)) ||
    (status === 201 && isReadable(declared, endpoints));
  return {
    description,
    headers: {
      ...REQUEST_ID,
      ...RATE_LIMIT,
      ...(isTagged && ENTITY_TAG),
      ...(status === 201 && { Location: headerField('Address of what was made.') }),
    },
    ...(mediaTypes && {
      content: Object.fromEntries(mediaTypes.map((name) => [name, { schema: { type: 'string' } }])),
    }),
    ...(schema && {
      content: {
        'application/json': {
          schema: schemas.response(schema),
          ...(declared.responseExample !== undefined && { example: declared.responseExample }),
        },
      },
    }),
  };
}

function otherSuccess({ schema, description }: OtherSuccess, schemas: SchemaCollector): Json {
  return {
    description,
    headers: { ...REQUEST_ID, ...RATE_LIMIT },
    content: { 'application/json': { schema: schemas.response(schema) } },
  };
}

/** Problem replies by status: what the operation declares, and what the kit itself may answer. */
function problems(declared: Endpoint, problem: Json): Json {
  const codes = codesOf(declared);
  const byStatus = Object.groupBy(codes, (code) => String(ERRORS[code].status));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, some = []]) => [
      status,
      {
        description: some.map((code) => `\`${publicCode(code)}\`: ${ERRORS[code].meaning}`).join('\n\n'),
        ...(status === '429' && { headers: RETRY_AFTER }),
        content: { 'application/problem+json': { schema: problem } },
      },
    ]),
  );
}

/** Every code that the operation can answer, in the order of the table. */
function codesOf(declared: Endpoint): ErrorCode[] {
  const hasBody = declared.method === 'post' || declared.method === 'patch';
  const hasParams = declared.params !== undefined;
  const possible = new Set<ErrorCode>([
    'invalid_request',
    'rate_limited',
    'internal_error',
    'store_unavailable',
    ...(declared.errors ?? []),
  ]);
  const kit: [boolean, readonly ErrorCode[]][] = [
    [hasBody, ['invalid_json', 'body_too_large', 'unsupported_media_type']],
    [
      declared.principals.length > 0,
      ['token_missing', 'token_invalid', 'token_expired', 'forbidden_principal'],
    ],
    [declared.principals.includes('end_user'), ['key_set_unavailable']],
    [declared.principals.includes('operator'), ['signed_out']],
    [declared.leastRole === 'admin' || declared.leastRole === 'owner', ['insufficient_role']],
    [declared.principals.includes('operator') && declared.method !== 'get', ['csrf_rejected']],
    [
      declared.method === 'post' && declared.principals.length > 0,
      ['idempotency_key_reused', 'idempotency_in_progress'],
    ],
    [hasParams && !(declared.errors ?? []).some((code) => ERRORS[code].status === 404), ['not_found']],
  ];
  for (const [applies, codes] of kit) if (applies) for (const code of codes) possible.add(code);
  for (const refusal of Object.values(declared.refusals ?? {})) possible.add(refusal.code);
  return ERROR_CODES.filter((code) => possible.has(code));
}
