import { z } from 'zod';

/**
 * What a run does, in order. `subscribe` tells the provider what to write to its log; `mark` and `start` only take a cursor; `baseline` learns what is there and makes no event;
 * `backfill` tells all of it; `changes` and `deleted` read what is new; `scan` reads everything to find what is gone;
 * `resync` does so because the provider forgot the cursor; `sweep` tells what a scan did not find.
 */
export const PHASES = [
  'subscribe',
  'mark',
  'start',
  'baseline',
  'backfill',
  'changes',
  'deleted',
  'scan',
  'resync',
  'sweep',
] as const;
export type Phase = (typeof PHASES)[number];

const ms = z.number().nullable();

/** One listing being read, page by page. */
const passSchema = z.object({
  /** Where it began; it starts over from there when pages turn out to be out of order. */
  from: ms,
  /** Where the next request begins. */
  since: ms,
  /** Records of this one timestamp are being read by id. */
  tieAt: ms,
  afterId: z.string().nullable(),
  /** Token, address, offset or number of the next page; null: the first one. */
  page: z.string().nullable(),
  isOrdered: z.boolean(),
  newest: ms,
  /** The provider's clock at the first answer. */
  startedAt: ms,
  /** The store's clock before the first request. */
  beganAt: z.number(),
  pages: z.number(),
  records: z.number(),
  /** Whether anything was new since it began, and how often it has been read again for that. */
  isDirty: z.boolean(),
  repeats: z.number(),
});

/** How far a poll has come with a connection. Kept as JSON beside the fingerprints, changed with them. */
const progressSchema = z.object({
  isInitialized: z.boolean(),
  todo: z.array(z.enum(PHASES)),
  pass: passSchema.nullable(),
  /** Everything that changed before is reported; milliseconds by the provider's clock. */
  watermark: ms,
  token: z.string().nullable(),
  /** What changed before is no news. */
  floor: ms,
  deletedSince: ms,
  scannedAt: ms,
  sweep: z.object({ before: z.number(), after: z.string() }).nullable(),
  /** A scan found most records gone; it is made once more before it is reported. */
  isConfirming: z.boolean(),
  /** Smaller than the resource's own, after pages that were too large. */
  pageSize: z.number().nullable(),
  recordsSeen: z.number(),
  pagesRead: z.number(),
});

export type Progress = z.infer<typeof progressSchema>;
export type Pass = z.infer<typeof passSchema>;

export const NO_PROGRESS: Progress = {
  isInitialized: false,
  todo: [],
  pass: null,
  watermark: null,
  token: null,
  floor: null,
  deletedSince: null,
  scannedAt: null,
  sweep: null,
  isConfirming: false,
  pageSize: null,
  recordsSeen: 0,
  pagesRead: 0,
};

export function createPass(beganAt: number, since: number | null): Pass {
  return {
    from: since,
    since,
    tieAt: null,
    afterId: null,
    page: null,
    isOrdered: true,
    newest: null,
    startedAt: null,
    beganAt,
    pages: 0,
    records: 0,
    isDirty: false,
    repeats: 0,
  };
}

/** A release before this one may have kept less; what is missing begins again. */
export function toProgress(stored: unknown): Progress {
  const parsed = progressSchema.safeParse({ ...NO_PROGRESS, ...(typeof stored === 'object' ? stored : {}) });
  return parsed.success ? parsed.data : NO_PROGRESS;
}
