import { z } from 'zod';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import {
  type AccessFacts,
  BODY_BYTES_MAX,
  type MandatedCall,
  type ProviderAccess,
} from '../../mandates/call.ts';
import { mandateEntriesSchema } from '../../mandates/mandate.schema.ts';
import { compileMandate } from '../../mandates/mandate.ts';
import type { Access } from '../../projects/access.ts';
import { readTarget } from '../../proxy/target.ts';

/** The body of the call with room for the rest. */
const REQUEST_BYTES_MAX = 3 * BODY_BYTES_MAX;

/**
 * What a provider's file says of its requests, with the tools that the project's integrations mark as reading where none
 * are given; rejects with the refusal for a provider that the project does not have.
 */
export type FindAccessFacts = (
  projectId: string,
  provider: string,
  readingTools: readonly string[] | undefined,
) => Promise<ProviderAccess>;

const explainBody = z.strictObject({
  projectId: z.uuid().optional().meta({ description: 'Of an operator with several projects.' }),
  entries: mandateEntriesSchema,
  provider: z.string().min(1).max(80),
  host: z
    .string()
    .min(1)
    .max(80)
    .optional()
    .meta({ description: 'Name of a further host; left out: the API base.' }),
  connectionId: z.uuid().optional().meta({
    description: 'Left out: the one that each entry names, if it names one.',
  }),
  method: z.string().regex(/^[A-Z]{1,20}$/, 'A method in capitals'),
  path: z.string().max(8_192).regex(/^\//, 'Begins with a slash').meta({
    description: 'As the call writes it behind the provider, with its query.',
  }),
  headers: z.record(z.string().max(200), z.string().max(8_192)).optional(),
  body: z
    .union([z.string().max(BODY_BYTES_MAX), z.record(z.string(), z.unknown()), z.array(z.unknown())])
    .optional()
    .meta({
      description:
        'Text as it is sent, or JSON. With JSON, `Content-Type` is `application/json` where it is left out.',
    }),
  readingTools: z.array(z.string().max(200)).max(500).optional().meta({
    description:
      'As `settings.readingTools` of the integration has them. Left out: those that every integration of the project with the provider has.',
  }),
});

const explanationSchema = z
  .object({
    allowed: z.boolean(),
    entry: z.number().nullable().meta({ description: 'Index of the first entry that allows the call.' }),
    reason: z.string().nullable().meta({ description: 'Why none does.' }),
    entries: z.array(
      z.object({
        index: z.number(),
        allowed: z.boolean(),
        reason: z.string().nullable().meta({ description: 'Why this entry does not allow the call.' }),
      }),
    ),
  })
  .meta({ id: 'MandateExplanation' });

type ExplainInput = z.output<typeof explainBody>;

/** Says what a mandate would make of a call, without making it. */
export function createExplainEndpoints(deps: {
  access: Access;
  findAccessFacts: FindAccessFacts;
}): Endpoint[] {
  const explain = endpoint({
    operationId: 'explainMandate',
    method: 'post',
    path: '/mandates/explain',
    summary: 'Explain what a mandate makes of a call',
    description:
      'Which entry allows the call, or why none does, for each entry. Calls nothing; hourly limits are left out.',
    tag: 'Mandates',
    principals: ['operator', 'api_key'],
    keyScope: 'mandates',
    leastRole: 'viewer',
    body: explainBody,
    bodyBytesMax: REQUEST_BYTES_MAX,
    requestExample: {
      entries: [{ type: 'gateway_access', provider: 'hubspot', access: 'read' }],
      provider: 'hubspot',
      method: 'POST',
      path: '/crm/v3/objects/contacts/search',
      body: { limit: 10 },
    },
    changesNothing: true,
    success: { status: 200, schema: explanationSchema, description: 'The judgement' },
    errors: ['project_not_found', 'provider_unknown', 'invalid_path', 'uri_too_long'],
    async handler({ principal, body }) {
      const projectId = await deps.access.projectToRead(principal, body.projectId);
      const { factsAt } = await deps.findAccessFacts(projectId, body.provider, body.readingTools);
      return { body: judge(body, describeCall(body, factsAt(body.host))) };
    },
  });
  return [explain];
}

function judge({ entries, connectionId }: ExplainInput, call: MandatedCall) {
  const asked =
    connectionId === undefined ? entries.map(({ connectionId: _any, ...entry }) => entry) : entries;
  const mandate = compileMandate(asked);
  const decision = mandate.decide(call);
  const reasons = mandate.explain(call);
  return {
    allowed: decision.isAllowed,
    entry: decision.isAllowed ? decision.entry : null,
    reason: decision.isAllowed ? null : decision.reason,
    entries: reasons.map((reason, index) => ({
      index,
      allowed: reason === undefined,
      reason: reason ?? null,
    })),
  };
}

/** Throws what the proxy would for the path. */
function describeCall(input: ExplainInput, facts: AccessFacts | undefined): MandatedCall {
  const target = readTarget(`/projects/-/proxy/-${input.path}`);
  if (target.kind === 'refused') throw new HttpError(target.code, { detail: target.detail });
  const { rawPath, rawQuery } = target.kind === 'proxy' ? target : { rawPath: input.path, rawQuery: '' };
  const { body, headers = {} } = input;
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const type = !isTyped && typeof body === 'object' ? ['Content-Type', 'application/json'] : [];
  const bytes = text === undefined ? undefined : Buffer.from(text);
  return {
    provider: input.provider,
    connectionId: input.connectionId ?? '',
    host: input.host,
    method: input.method,
    rawPath,
    rawQuery,
    rawHeaders: [...Object.entries(headers).flat(), ...type],
    hasBody: bytes !== undefined,
    body: bytes !== undefined && bytes.length > BODY_BYTES_MAX ? 'too_long' : bytes,
    facts,
  };
}
