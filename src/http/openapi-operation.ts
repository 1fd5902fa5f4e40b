import { z } from 'zod';
import type { Endpoint, OtherSuccess } from './endpoint.ts';
import { ERROR_CODES, ERRORS, type ErrorCode, publicCode } from './error-codes.ts';
import type { ProblemMembers } from './errors.ts';
import { listNeededScopes } from './key-scopes.ts';
import {
  DEPRECATION,
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
import { describeParameter } from './openapi-parameters.ts';
import type { Json, SchemaCollector } from './openapi-schemas.ts';
import { describeSecurity } from './openapi-security.ts';
import { namePrincipals } from './principal.ts';

/** Members of answers that the document does not describe: of the proxy, and of the probes. */
type ProxyMember = 'failing' | 'hosts' | 'approvalId' | 'approvalUrl';

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
} satisfies Readonly<Record<Exclude<keyof ProblemMembers, ProxyMember>, z.ZodType>>;

export const problemSchema = z
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
      .array(
        z.object({
          path: z.string(),
          message: z.string(),
          line: z.int().optional().meta({ description: 'Of a file that came as text; from 1.' }),
          column: z.int().optional(),
        }),
      )
      .optional()
      .meta({ description: 'The faults in the input, for `invalid_request`: the first twenty.' }),
    ...problemMembers,
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457).' });

/** One operation of the document. `problem` is the schema of its refusals. */
export function describeOperation(
  declared: Endpoint,
  endpoints: readonly Endpoint[],
  schemas: SchemaCollector,
  problem: Json,
): Json {
  return {
    operationId: declared.operationId,
    tags: [declared.tag],
    summary: declared.summary,
    ...(declared.deprecated && { deprecated: true }),
    description: [sayDeprecated(declared), declared.description, describeCallers(declared)]
      .filter(Boolean)
      .join('\n\n'),
    security: describeSecurity(declared),
    parameters: [
      ...describeParameters(declared.params, 'path', schemas),
      ...describeParameters(declared.query, 'query', schemas),
      ...headerParameters(declared, endpoints),
    ],
    ...(declared.body && {
      'x-body-bytes-max': declared.bodyBytesMax,
      requestBody: {
        description: `At most ${formatBytes(declared.bodyBytesMax)}.`,
        required: !z.core.safeParse(declared.body, {}).success,
        content: {
          'application/json': {
            schema: schemas.request(declared.body),
            ...(declared.requestExample !== undefined && { example: declared.requestExample }),
          },
          ...(declared.yamlMember !== undefined && { 'application/yaml': { schema: { type: 'string' } } }),
        },
      },
    }),
    responses: {
      [declared.success.status]: describeSuccess(declared, endpoints, schemas),
      ...(declared.otherSuccess && {
        [declared.otherSuccess.status]: describeOtherSuccess(declared.otherSuccess, schemas),
      }),
      ...(declared.method === 'get' && isVersioned(declared, endpoints) && { 304: NOT_MODIFIED }),
      ...describeProblems(declared, problem),
    },
  };
}

function sayDeprecated({ deprecated }: Endpoint): string | undefined {
  return (
    deprecated &&
    `Deprecated since ${deprecated.since}, may be gone from ${deprecated.sunset}. ${deprecated.instead}`
  );
}

function describeCallers({ principals, keyScope }: Endpoint): string {
  if (principals.length === 0) return 'Open to all.';
  const callers = `For ${namePrincipals(principals)}.`;
  if (keyScope === undefined) return callers;
  const scopes = listNeededScopes(keyScope).map((scope) => `\`${scope}\``);
  return `${callers} An API key needs ${scopes.join(' and ') || 'no scope'}.`;
}

/** Keys and tokens that may be bound to addresses. */
function takesAccessKey({ principals }: Endpoint): boolean {
  return principals.includes('api_key') || principals.includes('operator');
}

function formatBytes(bytes: number): string {
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

function describeParameters(
  schema: z.ZodObject | undefined,
  place: 'path' | 'query',
  schemas: SchemaCollector,
): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, member]) => {
    const { description = describeParameter(name), ...rest } = schemas.request(member);
    return {
      name,
      in: place,
      ...(place === 'query' && rest.type === 'object' && { style: 'deepObject', explode: true }),
      required: place === 'path' || !z.core.safeParse(member, undefined).success,
      ...(description !== undefined && { description }),
      // Lists are separated by commas: a parameter is given once.
      ...(rest.type === 'array' && { style: 'form', explode: false }),
      schema: rest,
    };
  });
}

function describeSuccess(declared: Endpoint, endpoints: readonly Endpoint[], schemas: SchemaCollector): Json {
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
      ...(declared.deprecated && DEPRECATION),
      ...(status === 201 && { Location: headerField('Address of what was made.') }),
    },
    ...((schema ?? mediaTypes) && {
      content: {
        ...(schema && {
          'application/json': {
            schema: schemas.response(schema),
            ...(declared.responseExample !== undefined && { example: declared.responseExample }),
          },
        }),
        ...Object.fromEntries(mediaTypes?.map((name) => [name, { schema: { type: 'string' } }]) ?? []),
      },
    }),
  };
}

function describeOtherSuccess({ schema, description }: OtherSuccess, schemas: SchemaCollector): Json {
  return {
    description,
    headers: { ...REQUEST_ID, ...RATE_LIMIT },
    content: { 'application/json': { schema: schemas.response(schema) } },
  };
}

/** Problem replies by status: what the operation declares, and what the kit itself may answer. */
function describeProblems(declared: Endpoint, problem: Json): Json {
  const codes = listErrorCodes(declared);
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
function listErrorCodes(declared: Endpoint): ErrorCode[] {
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
    // Of a user's token, whoever may call: what it may do is read with it.
    [declared.principals.length > 0, ['mandate_invalid', 'mandate_frozen', 'mandate_required']],
    [declared.principals.includes('end_user'), ['key_set_unavailable']],
    [declared.principals.includes('operator'), ['signed_out']],
    [declared.leastRole === 'admin' || declared.leastRole === 'owner', ['insufficient_role']],
    [declared.principals.includes('operator') && declared.method !== 'get', ['csrf_rejected']],
    [listNeededScopes(declared.keyScope).length > 0, ['scope_missing']],
    [takesAccessKey(declared), ['address_not_allowed']],
    [
      declared.method === 'post' && declared.principals.length > 0,
      ['idempotency_key_reused', 'idempotency_in_progress', 'idempotency_reply_forgotten'],
    ],
    [hasParams && !(declared.errors ?? []).some((code) => ERRORS[code].status === 404), ['not_found']],
  ];
  for (const [applies, codes] of kit) if (applies) for (const code of codes) possible.add(code);
  for (const refusal of Object.values(declared.refusals ?? {})) possible.add(refusal.code);
  return ERROR_CODES.filter((code) => possible.has(code));
}
