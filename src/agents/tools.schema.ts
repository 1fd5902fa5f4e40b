import { z } from 'zod';
import { isRecord } from '../lib/is-record.ts';
import { readAfterMediaType } from '../lib/media-type.ts';
import { refuseRoundedNumbers } from '../lib/rounded-numbers.ts';
import { parseFieldPath } from './keep-fields.ts';

/** Names are those of the catalog and of further hosts (`dropbox~content`), as in the proxy's addresses. */
const PROVIDER = /^[a-z0-9][a-z0-9:_~-]{0,99}$/;
/** What `shapeAnswer` makes: an offset, and which text it is of. */
const CURSOR = /^\d{1,9}\.[\w-]{16}$/;
/** Parameters of printable characters: a field value of anything else could not be sent. */
const PARAMETERS = /^[ \t]*(?:;[\t\x20-\x7e]*)?$/;
const TEXT_LENGTH_MAX = 8_000;
const MAX_TOKENS_DEFAULT = 6_000;

const provider = z.string().regex(PROVIDER, 'a provider as list_connections names it');
const connection = z.uuid().optional();

/** Found out before the call: a write that was carried out is not to be refused for them. */
const fieldPath = z
  .string()
  .min(1)
  .max(200)
  .refine(
    (path) => parseFieldPath(path) !== undefined,
    'a plain path such as $.results[*].id: no filters, slices or ..',
  );

const call = {
  provider,
  path: z.string().min(1).max(TEXT_LENGTH_MAX),
  query: z.string().max(TEXT_LENGTH_MAX).optional(),
  body: z
    .unknown()
    .superRefine(refuseRoundedNumbers('give it as text, or the whole body as JSON text'))
    .optional(),
  connection: connection.describe('Which connection, if there are several'),
  fields: z
    .array(fieldPath)
    .min(1)
    .max(20)
    .optional()
    .describe('JSONPaths to keep of the answer, e.g. $.results[*].id'),
  maxTokens: z.int().min(200).max(50_000).default(MAX_TOKENS_DEFAULT),
};

export const listConnectionsInput = z.strictObject({});

export const connectInput = z.strictObject({
  provider,
  connection: connection.describe('To authorize this one again'),
  completionCode: z.string().max(200).optional().describe('What the user brings back from the page'),
});

export const findOperationsInput = z.strictObject({
  query: z.string().min(1).max(200).describe('Words for what to do'),
  provider: provider.optional(),
});

export const readInput = z.strictObject({
  ...call,
  method: z.enum(['GET', 'HEAD', 'POST']).default('GET').describe('POST for searches'),
  cursor: z
    .string()
    .regex(CURSOR, 'take it from nextCursor')
    .optional()
    .describe('nextCursor, to read on; all else as before'),
});

/**
 * What `readInput` makes of the arguments that most reads have, at a tenth of its time; undefined for all others, the
 * faulty ones among them.
 */
export function readUsualInput(input: unknown): z.output<typeof readInput> | undefined {
  if (!isRecord(input)) return undefined;
  for (const name in input)
    if (name !== 'provider' && name !== 'path' && name !== 'query' && name !== 'method') return undefined;
  const { provider: named, path, query, method = 'GET' } = input;
  if (typeof named !== 'string' || !PROVIDER.test(named) || method !== 'GET') return undefined;
  if (typeof path !== 'string' || path === '' || path.length > TEXT_LENGTH_MAX) return undefined;
  if (query !== undefined && (typeof query !== 'string' || query.length > TEXT_LENGTH_MAX)) return undefined;
  return { provider: named, path, query, method, maxTokens: MAX_TOKENS_DEFAULT };
}

export const writeInput = z.strictObject({
  ...call,
  method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE', 'GET']),
  contentType: z
    .string()
    .max(100)
    .refine((type) => PARAMETERS.test(readAfterMediaType(type) ?? '-'), 'a media type such as text/csv')
    .optional()
    .describe('Of a body that is text'),
});

export type ConnectInput = z.output<typeof connectInput>;
export type FindOperationsInput = z.output<typeof findOperationsInput>;

/** What `read` and `write` have in common. */
export type CallInput = Omit<z.output<typeof readInput>, 'method' | 'cursor'> & {
  readonly method: string;
  readonly contentType?: string | undefined;
};
