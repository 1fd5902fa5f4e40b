import type { PollResource, TimestampChanges } from '../../catalog/schema/provider-polls.schema.ts';
import { UnreadableResponseError } from './parse-response.ts';
import { chooseSource, findPaging } from './plan-run.ts';
import type { Pass, Phase, Progress } from './progress.ts';
import type { Page, PolledRecord } from './read-response.ts';

/** A listing whose pages shift is read so many times more, until nothing new turns up. */
const REPEATS_MAX = 2;

export type Advance = {
  readonly resource: PollResource;
  readonly progress: Progress;
  readonly phase: Phase;
  readonly pass: Pass;
  readonly page: Page;
  /** Records of the page that were new or different. */
  readonly changedRecords: number;
  readonly deletes: 'none' | 'scan';
  /** By the store's clock. */
  readonly nowMs: number;
};

/**
 * How far the poll has come once a page is committed. Throws UnreadableAnswerError where the provider gives no way on.
 */
export function advance(step: Advance): Progress {
  const counted: Progress = {
    ...step.progress,
    pass: countPage(step.pass, step.page, step.changedRecords, step.nowMs),
    pagesRead: step.progress.pagesRead + 1,
    recordsSeen: step.progress.recordsSeen + step.page.records.length,
  };
  const pass = counted.pass ?? step.pass;
  const next = continuePass(step, pass);
  return next === null ? endPhase(step, counted, pass) : { ...counted, pass: next };
}

function countPage(pass: Pass, page: Page, changedRecords: number, nowMs: number): Pass {
  const newest = findNewest(page.records);
  return {
    ...pass,
    startedAt: pass.startedAt ?? page.atMs ?? nowMs,
    newest: newest === null ? pass.newest : Math.max(newest, pass.newest ?? newest),
    pages: pass.pages + 1,
    records: pass.records + page.records.length,
    isDirty: pass.isDirty || changedRecords > 0,
  };
}

function findNewest(records: readonly PolledRecord[]): number | null {
  return records.reduce<number | null>(
    (newest, { updatedAt }) => (updatedAt === null ? newest : Math.max(updatedAt, newest ?? updatedAt)),
    null,
  );
}

/** The rest of the listing; null: it has been read. */
function continuePass(step: Advance, pass: Pass): Pass | null {
  const { resource, phase, page } = step;
  if (phase === 'mark' || phase === 'start') return null;
  const { changes } = resource;
  const source = chooseSource(resource, phase);
  if (source === 'changes' && changes?.by === 'timestamp') return continueByTimestamp(step, pass, changes);
  if (page.next !== null) return turnPage(pass, page.next);
  return repeatWhereShifting(resource, phase, pass);
}

function turnPage(pass: Pass, next: string): Pass {
  if (next === pass.page) throw new UnreadableResponseError('The next page is the same as this one.');
  return { ...pass, page: next };
}

/** Whether a record that comes, goes or moves while the phase reads its pages pushes others across a border. */
export function hasShiftingPages(resource: PollResource, phase: Phase): boolean {
  const paging = findPaging(resource, chooseSource(resource, phase));
  const isCounted = paging?.by === 'offset' || paging?.by === 'page';
  return isCounted || (paging !== undefined && 'shifts' in paging && paging.shifts);
}

/** A record that was pushed over a border while pages were read is found by reading them again. */
function repeatWhereShifting(resource: PollResource, phase: Phase, pass: Pass): Pass | null {
  const isShifting = hasShiftingPages(resource, phase);
  if (!isShifting || pass.pages < 2 || !pass.isDirty || pass.repeats >= REPEATS_MAX) return null;
  return { ...pass, since: pass.from, page: null, pages: 0, isDirty: false, repeats: pass.repeats + 1 };
}

function continueByTimestamp(step: Advance, pass: Pass, changes: TimestampChanges): Pass | null {
  const { page, resource, phase } = step;
  if (changes.order === 'descending') {
    const oldest = page.records.reduce(
      (least, { updatedAt }) => Math.min(least, updatedAt ?? least),
      Number.POSITIVE_INFINITY,
    );
    const isBefore = pass.since !== null && oldest < pass.since;
    if (page.next !== null && !isBefore) return turnPage(pass, page.next);
    return repeatWhereShifting(resource, phase, pass);
  }
  if (changes.order === 'ascending' && pass.isOrdered) return continueByKey(step, pass, changes);
  return page.next === null ? repeatWhereShifting(resource, phase, pass) : turnPage(pass, page.next);
}

/**
 * The next request begins where this page ends, so that a record which changes meanwhile, and so moves to the end, pushes
 * no other across a border, and no ceiling of the provider is reached. More records of one timestamp than a page holds are
 * read by id, or page by page where the provider cannot.
 */
function continueByKey({ page }: Advance, pass: Pass, changes: TimestampChanges): Pass | null {
  const hasMore = page.next !== null || (page.isFull && changes.paging.by === 'none');
  const last = page.records.at(-1);
  if (pass.tieAt !== null) {
    if (last !== undefined && (page.next !== null || page.isFull)) {
      if (last.id === pass.afterId) throw new UnreadableResponseError('The provider does not go on by id.');
      return { ...pass, afterId: last.id };
    }
    return { ...pass, since: pass.tieAt + changes.unitMs, tieAt: null, afterId: null, page: null };
  }
  if (!hasMore) return null;
  if (!isAscending(page.records)) {
    if (page.next !== null) return { ...pass, since: pass.from, page: null, isOrdered: false };
    throw new UnreadableResponseError(
      'The records are not in the order of their changes, and the resource says no other way to read on.',
    );
  }
  const lastAt = last?.updatedAt ?? 0;
  // The filter knows whole units only: what lies between must not be skipped.
  const lastUnit = lastAt - (lastAt % changes.unitMs);
  if (lastUnit > (pass.since ?? 0)) return { ...pass, since: lastUnit, page: null };
  if (changes.tie !== undefined && pass.since !== null) {
    return { ...pass, tieAt: pass.since - (pass.since % changes.unitMs), afterId: null, page: null };
  }
  if (page.next !== null) return turnPage(pass, page.next);
  throw new UnreadableResponseError(
    'More records changed at one moment than a page holds, and the resource says no way to read them.',
  );
}

function isAscending(records: readonly PolledRecord[]): boolean {
  return records.every(
    ({ updatedAt }, index) =>
      updatedAt !== null && (index === 0 || updatedAt >= (records[index - 1]?.updatedAt ?? updatedAt)),
  );
}

/** The phase is done: cursors move, and the next one of the run follows. */
function endPhase(step: Advance, progress: Progress, pass: Pass): Progress {
  const { resource, phase, page, nowMs, deletes } = step;
  const todo = progress.todo.slice(1);
  const ended: Progress = { ...progress, ...moveCursors(step, progress, pass), pass: null, todo };
  const isScan = phase === 'scan' || phase === 'resync';
  if (phase === 'baseline' || phase === 'backfill') ended.scannedAt = pass.beganAt;
  if (isScan && (deletes === 'scan' || phase === 'resync' || progress.isConfirming)) {
    ended.todo = ['sweep', ...todo];
    // A scan that confirms another one leaves that one's beginning: what either of the two has seen is there.
    ended.sweep = progress.sweep ?? { before: pass.beganAt, after: '' };
  } else if (isScan) {
    ended.scannedAt = nowMs;
  }
  if (ended.deletedSince === null && resource.deleted) ended.deletedSince = pass.startedAt;
  if (phase === 'deleted') ended.deletedSince = page.covered ?? pass.startedAt ?? progress.deletedSince;
  return ended;
}

function moveCursors({ resource, phase, page }: Advance, progress: Progress, pass: Pass): Partial<Progress> {
  const startedAt = pass.startedAt ?? 0;
  if (phase === 'mark') return { watermark: startedAt, floor: startedAt };
  if (phase === 'start') {
    const isFirst = !progress.isInitialized && !progress.todo.includes('backfill');
    return { token: page.token, ...(isFirst && { floor: startedAt }) };
  }
  const source = chooseSource(resource, phase);
  const { changes } = resource;
  if (changes?.by === 'token') {
    return source === 'changes' && page.token !== null ? { token: page.token } : {};
  }
  if (changes?.by !== 'timestamp') return {};
  // A record may bear a time to come; the provider's own clock bounds how far the cursor moves.
  if (source === 'changes') return moveWatermark(progress, Math.min(pass.newest ?? 0, startedAt));
  const isFirstListing = phase === 'backfill' || phase === 'resync';
  return isFirstListing ? moveWatermark(progress, startedAt) : {};
}

function moveWatermark({ watermark }: Progress, to: number): Partial<Progress> {
  return { watermark: Math.max(watermark ?? 0, to) };
}

/** The listing, at its first page; undefined where it is there already, and for a log, whose entries would be reported twice. */
export function returnToFirstPage(progress: Progress, resource: PollResource): Progress | undefined {
  const { pass } = progress;
  if (pass === null || pass.page === null || resource.changes?.by === 'log') return undefined;
  return { ...progress, pass: { ...pass, page: null, pages: 0 } };
}

/** The provider forgot the cursor: everything is read again. */
export function startResync(progress: Progress, phases: readonly Phase[]): Progress {
  return { ...progress, token: null, pass: null, sweep: null, isConfirming: false, todo: [...phases] };
}

/** The run's phases are done. */
export function endRun(progress: Progress): Progress {
  return { ...progress, isInitialized: true, pass: null, sweep: null };
}
