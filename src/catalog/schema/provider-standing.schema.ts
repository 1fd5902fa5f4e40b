import { z } from 'zod';

/** Whether applications of any maker can use a provider today. */
export const STATUSES = ['unknown', 'available', 'partner-only', 'sign-in-only', 'limited', 'ended'] as const;
/** How far the facts of an entry are confirmed. No built-in entry was tried at the live provider. */
export const EVIDENCE = ['documentation', 'several-sources', 'one-source', 'transcribed'] as const;
/**
 * What a source can confirm: groups of fields. `endpoints` are the authorization, token and log-in addresses. `oneHost` is
 * that the file needs no `hosts`: the source describes the API and knows of no other host that takes the credential.
 */
export const FACT_GROUPS = [
  'endpoints',
  'apiBase',
  'keyPlacement',
  'scopes',
  'account',
  'probe',
  'webhooks',
  'polls',
  'tenants',
  'hosts',
  'oneHost',
  'grants',
  'access',
] as const;

const SOURCES_MAX = 20;
const day = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'a day: 2026-11-24');

/** Where facts of the file were found again. */
export const sourceSchema = z.strictObject({
  /** An address, or a package with its version: `n8n-nodes-base@2.41.2`. */
  from: z
    .string()
    .max(300)
    .regex(
      /^(https:\/\/[^\s"<>]+|(@[a-z0-9._-]+\/)?[a-z0-9._-]+@\d[\w.+-]*)$/,
      'an https address, or a package with its version',
    ),
  says: z.array(z.enum(FACT_GROUPS)).min(1),
  date: day,
  /** The provider's own word: its documentation, its OpenAPI document, its SDK. */
  by: z.literal('vendor').optional(),
});
/** A text is a source of which nothing more is known. */
const anySource = z.union([z.string().max(300), sourceSchema]);

export type Source = z.infer<typeof sourceSchema>;

/** What a provider file says of the provider's state, and of how its own facts were found. */
export const standingFields = {
  /**
   * Left out: `available` where the file says step by step how to set the provider up, else `unknown`.
   * `partner-only`: the provider lets partners in alone. `sign-in-only`: tokens identify a person and open no more.
   * `limited`: new applications do not get everything. `ended`: there is nothing to connect to any more.
   */
  status: z.enum(STATUSES).optional(),
  /** When it ended or will end, or since when the status holds: a year, a month or a day. */
  statusDate: z
    .string()
    .regex(/^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$/, 'a year, a month or a day: 2026-08-31')
    .optional(),
  /** Why, and what takes its place. */
  statusNote: z.string().min(1).max(300).optional(),
  /** Computed from `sources` where these say what they confirm. */
  evidence: z.enum(EVIDENCE).optional(),
  sources: z.array(anySource).max(SOURCES_MAX).optional(),
  /** The day on which the file was last compared with sources. */
  checked: day.optional(),
};
