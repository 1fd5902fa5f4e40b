import type { Db } from '../../platform/postgres/database.ts';
import type { PollTask } from '../pages/poll-task.ts';
import type { Progress } from '../pages/progress.ts';
import type { Change, PollTarget } from '../records/poll-events.ts';

export type StepEnd = {
  readonly task: PollTask;
  /** `lost`: another worker has gone on meanwhile. */
  readonly outcome: 'more' | 'over' | 'lost';
};

export type TakeStep = (task: PollTask, target: PollTarget, signal: AbortSignal) => Promise<StepEnd>;

/** What a step reports, and how far the poll has come then; both in one transaction. */
export type PageCommit = {
  /** `added`: fingerprints that were not there. */
  write(trx: Db): Promise<{ changedRecords: number; added?: number; changes: readonly Change[] }>;
  progressAfter(changedRecords: number): Progress;
};
