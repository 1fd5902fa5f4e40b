import { z } from 'zod';
import { dottedPath, sentHeaders } from './provider-fields.schema.ts';

const queryName = z.string().regex(/^[A-Za-z0-9_.$[\]-]{1,100}$/, 'letters, digits and _ . $ [ ] - only');
const template = z.string().max(2_000);
const paths = z.union([dottedPath, z.array(dottedPath).min(1).max(5)]);
/** `@odata.nextLink` and its like, beside ordinary paths. */
const memberPath = z.string().regex(/^[A-Za-z0-9_.@$-]{1,200}$/, 'a dotted path of members');

/**
 * How a timestamp is written: RFC 3339 with or without fractions of a second, `YYYY-MM-DD HH:MM:SS` in UTC, or a count
 * since 1970.
 */
const timestampFormat = z.enum(['iso', 'iso-seconds', 'sql', 'epoch-ms', 'epoch-s']);
const timestamp = z.strictObject({ path: paths, format: timestampFormat.default('iso') });

const BODY_LENGTH_MAX = 8_000;

/**
 * A request. Texts are templates over the connection's variables, the poll's parameters, and `{since}`, `{until}`,
 * `{cursor}`, `{page}`, `{limit}`, `{fields}`, `{at}`, `{afterId}`, `{accountId}` (of the connection; `{accountNumber}`: the
 * same as a number). A query parameter, a header or a member of the body
 * whose value is not known is left out. A text in the body that is one placeholder takes its value as it is: a number,
 * a list of fields. In a request that names no `{page}`, `{cursor}` is the token of the page as pages go on.
 */
const pollRequest = z.strictObject({
  method: z.enum(['GET', 'POST']).default('GET'),
  path: z
    .string()
    .max(500)
    .regex(/^\/[^\s?#\\]*$/, 'a path that begins with a slash, without query'),
  query: z.record(queryName, template).default({}),
  headers: sentHeaders(template).default({}),
  body: z
    .record(z.string(), z.unknown())
    .refine(
      (body) => JSON.stringify(body).length <= BODY_LENGTH_MAX,
      `at most ${BODY_LENGTH_MAX} characters as JSON`,
    )
    .optional(),
});

/** `shifts`: pages are counted, so that a record which comes, goes or moves meanwhile pushes another one across a border. */
const paging = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('none') }),
  z.strictObject({ by: z.literal('token'), path: memberPath, shifts: z.boolean().default(false) }),
  z.strictObject({ by: z.literal('link'), path: memberPath, shifts: z.boolean().default(false) }),
  z.strictObject({ by: z.literal('link-header'), shifts: z.boolean().default(true) }),
  /** `more`: a member that says whether there are more; left out, a full page says so. */
  z.strictObject({ by: z.literal('offset'), more: memberPath.optional(), next: memberPath.optional() }),
  z.strictObject({
    by: z.literal('page'),
    first: z.int().min(0).max(1).default(1),
    more: memberPath.optional(),
  }),
]);

/** A listing: its request, how its pages follow each other, and the member that holds the records (left out: the body). */
const listing = {
  request: pollRequest,
  paging: paging.default({ by: 'none' }),
  items: memberPath.optional(),
};

const byTimestamp = z.strictObject({
  by: z.literal('timestamp'),
  ...listing,
  /** How `{since}` and its like are written. */
  format: timestampFormat.default('iso'),
  /** The finest difference that the filter knows, in milliseconds. */
  unitMs: z.int().min(1).max(86_400_000).default(1),
  /** `ascending`: oldest change first; then every page begins at the last one's end, and no ceiling is ever reached. */
  order: z.enum(['ascending', 'descending', 'unordered']).default('unordered'),
  /** The filter leaves out what changed exactly at `{since}`. */
  isExclusive: z.boolean().default(false),
  /** Changes that appear late, because of an index that lags, are read again for so long. */
  overlapSeconds: z.int().min(0).max(86_400).default(60),
  /**
   * For more records of one and the same time than a page holds: those of `{at}` (before `{until}`) whose id is above
   * `{afterId}`, by id.
   */
  tie: pollRequest.optional(),
  /** `{afterId}` before the first record. */
  firstId: z.string().max(100).default(''),
  /** Changes are listed for so many days only; a cursor older than that begins again from a full listing. */
  keptDays: z.int().min(1).max(3_650).optional(),
});

/** The provider has forgotten the token. */
const expired = (status: number) =>
  z
    .strictObject({
      statuses: z.array(z.int().min(400).max(499)).max(5).default([status]),
      /** A member of the answer, and values of it, for providers that refuse with an ordinary status. */
      error: z.strictObject({ path: memberPath, values: z.array(z.string()).min(1).max(10) }).optional(),
    })
    .prefault({});

const byToken = z.strictObject({
  by: z.literal('token'),
  ...listing,
  /** Where the last page has the next token. */
  token: memberPath,
  /** The token is an address that is called as it stands (delta links). */
  isLink: z.boolean().default(false),
  /** Takes the first token without reading what is there. */
  start: z.strictObject({ request: pollRequest, token: memberPath }).optional(),
  /** Everything is read again then. */
  expired: expired(410),
});

const words = z.array(z.string().min(1).max(100)).max(30).default([]);
const objectName = z.string().regex(/^[a-z][a-z0-9_]{0,59}$/, 'lower-case letters, digits and underscores');
const PARAMETER_NAME = /^[a-z][A-Za-z0-9]{0,39}$/;

/**
 * What has to be registered at the provider before it writes to the log, once for each connection: those that `list` lacks are
 * created. `{each}` is one of the values, parted by commas, of the parameter `each`.
 */
const subscriptions = z.strictObject({
  each: z.string().regex(PARAMETER_NAME),
  list: z.strictObject({ request: pollRequest, items: memberPath.optional() }),
  /** Members of a listed one by which it is the one that is wanted, and their values. */
  match: z
    .record(memberPath, template)
    .refine((given) => Object.keys(given).length > 0, 'names one member at least'),
  create: pollRequest,
});

/**
 * A log of changes: each entry names its own change. There are no fingerprints, and the changes of a response become events together
 * with the token that follows it.
 */
const byLog = z.strictObject({
  by: z.literal('log'),
  /** Asks for what comes after `{cursor}`. */
  request: pollRequest,
  /** The oldest entries that are there, while there is no token. */
  earliest: pollRequest,
  /** The newest entries. They produce no events: a poll without backfill takes its first token from this answer. */
  latest: pollRequest,
  items: memberPath.optional(),
  token: memberPath,
  /** Statuses that mean that there is nothing further. */
  nothing: z.array(z.int().min(200).max(499)).max(5).default([204]),
  /** What is left of the log is read from its earliest entry then. */
  expired: expired(404),
  /** The entries are in a file, at the address that stands here. It may be anywhere, and sees no credential. */
  file: memberPath.optional(),
  /** The member that says what happened, and its words; all others mean `other`. */
  change: z.strictObject({ path: memberPath, created: words, updated: words, deleted: words }),
  /** The member that says what kind of object it is, and what events call it; left out and unknown: `object`. */
  objects: z
    .strictObject({ path: memberPath, names: z.record(z.string().min(1).max(100), objectName) })
    .optional(),
  /** The member that says whose entry it is. Those of other accounts than the connection's are left out. */
  account: memberPath.optional(),
  subscriptions: subscriptions.optional(),
});

const deletedRecords = z.strictObject({
  ...listing,
  id: paths,
  deletedAt: timestamp.optional(),
  format: timestampFormat.default('iso'),
  overlapSeconds: z.int().min(0).max(86_400).default(60),
  /** The shortest span that the provider accepts between `{since}` and `{until}`. */
  spanSecondsMin: z.int().min(0).max(3_600).default(0),
  /** Deletions are listed for so many days only. */
  keptDays: z.int().min(1).max(3_650).optional(),
  /** A member that says until when deletions are listed for certain. */
  covered: timestamp.optional(),
});

const recordFields = z.strictObject({
  /** Alternatives, the first that is there. */
  id: paths,
  updatedAt: timestamp.optional(),
  createdAt: timestamp.optional(),
  /** A member that marks a deleted record: one of `values`, or, where there are none, anything but false and null. */
  deleted: z.strictObject({ path: memberPath, values: z.array(z.string()).max(10).optional() }).optional(),
  /** Members that change without the record being changed, such as signed addresses. */
  ignore: z.array(memberPath).max(30).default([]),
});

const parameter = z.strictObject({
  description: z.string().max(300),
  default: z.string().max(200).optional(),
  example: z.string().max(200).optional(),
});

/** One kind of record that can be polled: how its changes are asked for, and how they are read. */
export const pollResourceFields = z.strictObject({
  title: z.string().min(1).max(80).optional(),
  /** The middle of the event's type: `contact` makes `hubspot.contact.created`. */
  object: objectName,
  docsUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** What the connection must have been granted, to say so. */
  scopes: z.array(z.string().min(1).max(200)).max(20).default([]),
  notes: z.array(z.string().max(500)).max(10).default([]),
  /** It is read with a token of the integration's own client (RFC 6749 section 4.4) instead of the user's. */
  clientToken: z.strictObject({ scopes: z.array(z.string().min(1).max(200)).max(20).default([]) }).optional(),
  pageSize: z.int().min(1).max(1_000).default(100),
  /** `{fields}` of a poll that names none. */
  fields: z.array(z.string().min(1).max(200)).max(200).default([]),
  /** Further values that a poll gives, by name. */
  parameters: z
    .record(z.string().regex(PARAMETER_NAME), parameter)
    .refine((given) => Object.keys(given).length <= 10, 'at most 10 parameters')
    .default({}),
  record: recordFields,
  /** For providers that refuse with a good status: a member of every answer, and its value where all is well. */
  success: z.strictObject({ path: memberPath, value: z.string().max(100).default('true') }).optional(),
  changes: z.discriminatedUnion('by', [byTimestamp, byToken, byLog]).optional(),
  /** Everything that there is. Needed for a scan, and for a backfill where `changes` reach back too little. */
  list: z.strictObject(listing).optional(),
  deleted: deletedRecords.optional(),
});

export const pollResource = pollResourceFields.refine(
  ({ changes, list }) => changes !== undefined || list !== undefined,
  'needs changes, list, or both',
);

export const pollFields = {
  /** Kinds of records that can be polled, by the name that a poll gives. */
  polls: z.record(z.string().regex(/^[a-z][a-z0-9-]{0,59}$/), pollResource).default({}),
};

export type PollResource = z.output<typeof pollResource>;
export type PollRequest = z.output<typeof pollRequest>;
export type PollPaging = z.output<typeof paging>;
export type TimestampChanges = z.output<typeof byTimestamp>;
export type LogChanges = z.output<typeof byLog>;
export type LogSubscriptions = z.output<typeof subscriptions>;
