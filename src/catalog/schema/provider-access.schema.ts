import { z } from 'zod';

/** `api` is the API base. Without a host a path counts at every one. */
const HOST = /^~([a-z0-9]+(?:-[a-z0-9]+)*)(?=\/)/;

/** A path behind the API's address, as callers write it: `*` is one segment, `**` at the end the rest. */
const accessPath = z
  .string()
  .max(200)
  .regex(
    /^(?:~[a-z0-9]+(?:-[a-z0-9]+)*)?\/[\x21-\x7e]*$/,
    'begins with a slash, or with ~, the name of a host and a slash',
  )
  .refine((text) => !/[?#;]/.test(text), 'has a query or parameters')
  .refine(
    (text) => text.split('/').every((part) => part === '**' || part.lastIndexOf('*') <= 0),
    'has an asterisk elsewhere than at the beginning of a segment',
  )
  .refine(
    (text) => !text.includes('**') || text.indexOf('**') === text.length - 2,
    'has ** elsewhere than at the end',
  );

const accessPaths = z.array(accessPath).min(1).max(200);

const name = z.string().regex(/^[A-Za-z0-9_-]{1,60}$/, 'a name of letters, digits, _ and -');

export const RECORD_METHODS = ['PUT', 'PATCH', 'POST', 'DELETE'] as const;

/** Requests that change or delete the one record that a GET of the same path shows. */
const recordSchema = z.strictObject({
  paths: accessPaths,
  methods: z.array(z.enum(RECORD_METHODS)).min(1).default(['PUT', 'PATCH', 'DELETE']),
  /** The query parameter of the GET that says which fields it shows, and the member of the body that has them. */
  select: z.strictObject({ parameter: name, member: name }).optional(),
  /** The member of the GET's answer that holds the record; left out: the answer is the record. */
  answer: name.optional(),
});

/** What requests do beyond what their methods say, for mandates that allow reading alone. */
export const accessFields = {
  /** POSTs that only read, such as searches; GETs that read where `writes` names more than them. */
  reads: accessPaths.optional(),
  /** GETs that change something. */
  writes: accessPaths.optional(),
  /** Requests that carry other requests or many records inside. */
  batch: accessPaths.optional(),
  /** Paths at which the body of a POST is a GraphQL document, which says what it does. */
  graphql: accessPaths.optional(),
  /** Query parameters that name another method, or carry other requests: refused as `_method` is. */
  overrides: z
    .array(z.string().regex(/^[a-z0-9_$-]{1,60}$/, 'small letters and digits'))
    .min(1)
    .max(10)
    .optional(),
  /** Looked at: no request does other than its method says. Without it and the lists the entry was not examined. */
  methodsTell: z.literal(true).optional(),
  /** What a person who approves such a request is shown of the record before it. */
  records: z.array(recordSchema).min(1).max(20).optional(),
};

/** The host that a path is said of, and the path. */
export function splitHost(accessPath: string): { readonly host: string | undefined; readonly path: string } {
  const [prefix = '', host] = HOST.exec(accessPath) ?? [];
  return { host, path: accessPath.slice(prefix.length) };
}
