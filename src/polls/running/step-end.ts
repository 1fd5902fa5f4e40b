import type { Db } from '../../platform/postgres/database.ts';
import type { PollTask } from '../pages/poll-task.ts';
import type { Progress } from '../pages/progress.ts';
import type { Change, Subject } from '../records/poll-events.ts';

export type StepEnd = {
  readonly task: PollTask;
  /** `lost`: another worker has gone on meanwhile. */
  readonly outcome: 'more' | 'over' | 'lost';
};

export type TakeStep = (task: PollTask, subject: Subject, signal: AbortSignal) => Promise<StepEnd>;

/** What a step tells, and how far the poll has come then; both in one transaction. */
export type Telling = {
  /** `added`: fingerprints that were not there. */
  write(trx: Db): Promise<{ news: number; added?: number; changes: readonly Change[] }>;
  progressAfter(news: number): Progress;
};
