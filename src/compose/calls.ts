import { createCallRecorder } from '../calls/call-recorder.ts';
import { createCallsEndpoints } from '../calls/calls.router.ts';
import { createStatsEndpoints } from '../calls/stats.router.ts';
import { createTailEndpoints } from '../calls/tail.router.ts';
import { createTails } from '../calls/tail.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { composePrincipals } from './principals.ts';

/** Composes what counts proxied calls, keeps some, and shows them. */
export function composeCalls(input: {
  config: Config;
  database: Database;
  log: Logger;
  now(): number;
  isDraining(): boolean;
  principals: Pick<ReturnType<typeof composePrincipals>, 'access'>;
}) {
  const { config, log, now } = input;
  const db = input.database.knex;
  const { access } = input.principals;
  const tails = createTails({ ...input, db });
  const recorder = createCallRecorder({ db, settings: config.calls, now, log, tail: tails });
  return {
    record: recorder.record,
    chores: recorder.chores,
    handleNotice: tails.handleNotice,
    endpoints: [
      ...createStatsEndpoints({ db, access, now }),
      ...createCallsEndpoints({ db, access }),
      ...createTailEndpoints({ access, tails }),
    ],
  };
}
