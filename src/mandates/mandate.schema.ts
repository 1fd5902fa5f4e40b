import { z } from 'zod';

/** The `type` of our entries among the `authorization_details` of a token (RFC 9396 section 2). */
const ENTRY_TYPE = 'gateway_access';

const ENTRIES_MAX = 32;
const BYTES_MAX = 8 * 1024;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A path as the caller writes it behind the provider: `*` stands for one segment, `**` at the end for the rest. */
const pathPattern = z
  .string()
  .max(512)
  .regex(/^\/[\x21-\x7e]*$/, 'Begins with a slash, and holds nothing but printable ASCII')
  .refine((text) => !/[?#]/.test(text), 'Has no query: mandates name paths')
  .refine(
    (text) => text.split('/').every((part) => !part.includes('*') || part === '*' || part === '**'),
    'An asterisk stands for a whole segment',
  )
  .refine((text) => !text.includes('**') || text.indexOf('**') === text.length - 2, '`**` stands at the end');

/** One thing that a token may do. */
export const mandateEntrySchema = z
  .strictObject({
    type: z.literal(ENTRY_TYPE),
    provider: z.string().min(1).max(80),
    connectionId: z.uuid().optional(),
    hosts: z
      .array(z.string().min(1).max(80))
      .min(1)
      .max(16)
      .optional()
      .meta({ description: 'Names of further hosts; `api` is the API base. Left out: all hosts.' }),
    access: z.enum(['read', 'write']).meta({ description: '`write` allows reading as well.' }),
    methods: z.array(z.enum(METHODS)).min(1).max(METHODS.length).optional(),
    paths: z.array(pathPattern).min(1).max(64).optional(),
    approval: z.enum(['none', 'once', 'each']).default('none'),
    perHour: z.int().min(1).max(1_000_000).optional(),
  })
  .meta({ id: 'MandateEntry' });

/** The same in replies, which take members that a later version adds. */
export const shownMandateEntrySchema = z.object(mandateEntrySchema.shape).meta({ id: 'ShownMandateEntry' });

export const mandateEntriesSchema = z
  .array(mandateEntrySchema)
  .min(1)
  .max(ENTRIES_MAX)
  .refine((entries) => countBytes(entries) <= BYTES_MAX, `Takes more than ${BYTES_MAX} bytes`);

/** As they are given: what is left out is known as `none` by now, and takes no room when it is read again. */
function countBytes(entries: readonly MandateEntry[]): number {
  const given = entries.map(({ approval, ...entry }) =>
    approval === 'none' ? entry : { ...entry, approval },
  );
  return Buffer.byteLength(JSON.stringify(given));
}

export type MandateEntry = z.output<typeof mandateEntrySchema>;

export type ClaimReading =
  /** The token may do what its user may. */
  | { readonly kind: 'none' }
  | { readonly kind: 'entries'; readonly entries: readonly MandateEntry[] }
  /** What the claim says cannot be understood: it must not be taken for no limit. */
  | { readonly kind: 'malformed'; readonly message: string };

/**
 * Reads the claim `authorization_details` (RFC 9396 section 9.1). Entries of other types are for other resource
 * servers; an empty list is a mistake, since a list that was computed and came out empty means "nothing".
 */
export function readMandateClaim(claim: unknown): ClaimReading {
  if (claim === undefined) return { kind: 'none' };
  if (!Array.isArray(claim)) return { kind: 'malformed', message: 'authorization_details must be an array' };
  if (claim.length === 0) return { kind: 'malformed', message: 'authorization_details is empty' };
  const foreign = claim.filter(isOfOtherType);
  if (foreign.length === claim.length) return { kind: 'none' };
  const own = claim.filter((entry) => !isOfOtherType(entry));
  const parsed = mandateEntriesSchema.safeParse(own);
  if (parsed.success) return { kind: 'entries', entries: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    kind: 'malformed',
    message: `authorization_details${describePath(issue?.path ?? [])}: ${issue?.message ?? 'malformed'}`,
  };
}

function isOfOtherType(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null || !('type' in entry)) return false;
  return typeof entry.type === 'string' && entry.type !== ENTRY_TYPE;
}

function describePath(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
}
