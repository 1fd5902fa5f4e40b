import type { Phase } from '../pages/progress.ts';
import type { PolledRecord } from '../pages/read-response.ts';

/** What is kept of a record: never the record. Times in milliseconds. */
export type Fingerprint = {
  /** Null: it is known to be deleted. Empty: a webhook reported it, and no poll has read it. */
  readonly hash: Buffer | null;
  /** Of the version that was read last. */
  readonly updatedAt: number | null;
  /** When a webhook's newest change of it happened. */
  readonly webhookAt: number | null;
};

export type ReadRecord = PolledRecord & { readonly hash: Buffer };

export type Detection = {
  readonly change: 'created' | 'updated' | 'deleted' | null;
  /** What is written down; undefined: nothing new is known. */
  readonly write: { readonly hash: Buffer | null; readonly updatedAt: number | null } | undefined;
};

const NOTHING: Detection = { change: null, write: undefined };
/** The hash of a record that changed while everything was listed for the first time: it is known, and not reported yet. */
const UNREPORTED = Buffer.alloc(16);

export type DetectionContext = {
  readonly phase: Phase;
  /** From when on changes are news; null: always. */
  readonly floor: number | null;
  /** A record whose time is no later than known counts as unchanged, however it looks: a scan may show it differently. */
  readonly isTimeEnough: boolean;
};

/**
 * What a record that was read means, given what is known of it: created, updated or deleted; what was
 * reported already, by a poll or by a webhook, is dropped.
 */
export function detectChange(
  record: ReadRecord,
  known: Fingerprint | undefined,
  judging: DetectionContext,
): Detection {
  // It only takes a cursor: where the provider's clock is ahead, it is shown records from before the poll.
  if (judging.phase === 'mark') return NOTHING;
  return record.isDeleted ? detectDeleted(record, known, judging) : detectPresent(record, known, judging);
}

function detectDeleted(
  record: ReadRecord,
  known: Fingerprint | undefined,
  judging: DetectionContext,
): Detection {
  const { phase, floor } = judging;
  // A listing also names records that were deleted before it began. One that it has shown was deleted since.
  if (known === undefined && (phase === 'baseline' || phase === 'backfill')) return NOTHING;
  if (known !== undefined && known.hash === null) return NOTHING;
  const { updatedAt } = record;
  // A log has a history: without a time, nothing says that the deletion is new.
  if (phase === 'baseline' && !isAfterFloor(record, judging)) return NOTHING;
  if (isBefore(updatedAt, known?.updatedAt)) return NOTHING;
  const write = { hash: null, updatedAt };
  const isOld = known === undefined && isBefore(updatedAt, floor);
  return { change: isOld ? null : 'deleted', write };
}

function detectPresent(
  record: ReadRecord,
  known: Fingerprint | undefined,
  judging: DetectionContext,
): Detection {
  const { updatedAt, hash } = record;
  const write = { hash, updatedAt };
  if (judging.phase === 'baseline' && isAfterFloor(record, judging)) return leaveToNextRun(known);
  if (known === undefined) return { change: detectUnknown(record, judging), write };
  // An older entry of a journal, or of a copy of the provider's data that lags.
  if (isBefore(updatedAt, known.updatedAt)) return NOTHING;
  const isNoLater = updatedAt !== null && known.updatedAt !== null && updatedAt <= known.updatedAt;
  if (isNoLater && (known.hash === null || judging.isTimeEnough)) return NOTHING;
  if (known.hash?.equals(hash)) return NOTHING;
  const isReported = known.webhookAt !== null && updatedAt !== null && updatedAt <= known.webhookAt;
  if (isReported || judging.phase === 'baseline') return { change: null, write };
  if (known.hash?.equals(UNREPORTED)) return { change: detectUnknown(record, judging), write };
  return { change: known.hash === null ? 'created' : 'updated', write };
}

function isAfterFloor({ updatedAt }: PolledRecord, { floor }: DetectionContext): boolean {
  return floor !== null && updatedAt !== null && updatedAt >= floor;
}

/** The record changed since the poll began: its version is not noted, so that the next run finds it different. */
function leaveToNextRun(known: Fingerprint | undefined): Detection {
  if (known !== undefined) return NOTHING;
  return { change: null, write: { hash: UNREPORTED, updatedAt: null } };
}

function detectUnknown(
  { updatedAt, createdAt }: ReadRecord,
  { phase, floor }: DetectionContext,
): 'created' | 'updated' | null {
  if (phase === 'baseline') return null;
  if (floor === null || phase === 'backfill') return 'created';
  if (isBefore(updatedAt, floor)) return null;
  return createdAt === null || createdAt < floor ? 'updated' : 'created';
}

function isBefore(timeMs: number | null, other: number | null | undefined): boolean {
  return timeMs !== null && other !== null && other !== undefined && timeMs < other;
}

/** Of several entries for one record, the last one counts; a page with the newest first is turned round. */
export function keepLatestById<Item extends PolledRecord>(
  records: readonly Item[],
  isNewestFirst: boolean,
): Item[] {
  const inOrder = isNewestFirst ? records.toReversed() : records;
  const latest = new Map<string, Item>();
  for (const record of inOrder) {
    const before = latest.get(record.id);
    if (before !== undefined && isBefore(record.updatedAt, before.updatedAt)) continue;
    // Set again, so that the order is that of the entries that count.
    latest.delete(record.id);
    latest.set(record.id, record);
  }
  return [...latest.values()];
}
