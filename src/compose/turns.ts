import type { Knex } from 'knex';
import { createRunCheck } from '../diagnosis/bounded-probe.ts';
import { CHANGE_CHANNEL } from '../platform/change-notices.ts';
import { createJobQueue } from '../platform/job-queue.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createParties } from '../platform/postgres/parties.ts';

/** Composes what the parties that own projects take turns in: jobs, and checks of providers. */
export function composeTurns(input: { db: Knex; log: Logger; processKey: number; metrics: Metrics }) {
  const { db, log, processKey, metrics } = input;
  const parties = createParties();
  const jobs = createJobQueue({ db, log, channel: CHANGE_CHANNEL, processKey, parties });
  metrics.watchJobs(jobs.count);
  return {
    parties,
    jobs,
    runCheck: createRunCheck({ partyOf: (projectId) => parties.partyOf(db, projectId) }),
  };
}
