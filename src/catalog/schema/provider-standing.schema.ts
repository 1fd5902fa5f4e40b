import { z } from 'zod';

/** Whether applications of any maker can use a provider today. */
export const STATUSES = ['available', 'partner-only', 'sign-in-only', 'limited', 'ended'] as const;
/** How far the facts of an entry are confirmed. No built-in entry was tried at the live provider. */
export const EVIDENCE = ['documentation', 'several-sources', 'one-source'] as const;

/** What a provider file says of the provider's state, and of how its own facts were found. */
export const standingFields = {
  /**
   * `partner-only`: the provider lets partners in alone. `sign-in-only`: tokens identify a person and open no more.
   * `limited`: new applications do not get everything. `ended`: there is nothing to connect to any more.
   */
  status: z.enum(STATUSES).default('available'),
  /** When it ended or will end, or since when the status holds: a year, a month or a day. */
  statusDate: z
    .string()
    .regex(/^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$/, 'a year, a month or a day: 2026-08-31')
    .optional(),
  /** Why, and what takes its place. */
  statusNote: z.string().min(1).max(300).optional(),
  evidence: z.enum(EVIDENCE).optional(),
};
