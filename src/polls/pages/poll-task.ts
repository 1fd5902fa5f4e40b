import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { PollOptions } from './plan-run.ts';
import type { Progress } from './progress.ts';

/** A poll of one connection, as a worker takes it up. */
export type PollTask = {
  readonly pollId: string;
  readonly connectionId: string;
  readonly projectId: string;
  readonly integrationId: string;
  readonly endUserId: string;
  readonly subject: string | null;
  /** Whose connection it is, where it is not a user's. */
  readonly organization: string | null;
  /** The account at the provider; null: not known. */
  readonly accountId: string | null;
  /** Whose records the connection reads now: those of its tenant, or else of its account; null: not known. */
  readonly account: string | null;
  /** Whose records cursor and fingerprints are of; null: not known. */
  readonly accountRead: string | null;
  readonly serviceProvider: string;
  readonly grant: string | null;
  readonly resourceName: string | null;
  readonly custom: PollResource | null;
  readonly options: PollOptions;
  readonly intervalSeconds: number;
  readonly isPaused: boolean;
  readonly recordSet: string;
  readonly progress: Progress;
  /** Grows with every page; a worker that has lost its claim writes nothing. */
  readonly step: string;
  readonly failures: number;
  /** The store's clock, in milliseconds. */
  readonly nowMs: number;
  /** Until the next run; negative once it is due. */
  readonly dueInMs: number;
};

/** Whether the connection has moved to another account since it was polled. */
export function hasMoved({ account, accountRead }: Pick<PollTask, 'account' | 'accountRead'>): boolean {
  return account !== null && accountRead !== null && account !== accountRead;
}
