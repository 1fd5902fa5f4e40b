import type { Db } from '../platform/postgres/database.ts';

type AgainAt = { readonly runAgainAt: Date } | undefined;

/** What deliveries and replays need of the job queue: of each name and key, at most one runs at a time anywhere. */
export type Jobs = {
  add(db: Db, name: string, key: string, options?: { runAt?: Date }): Promise<void>;
  work(
    name: string,
    options: { concurrency: number },
    handler: (key: string, signal: AbortSignal) => Promise<AgainAt>,
  ): void;
};
