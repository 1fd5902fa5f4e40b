import { createCoalescedRuns } from '../../lib/coalesced-runs.ts';
import type { Db } from '../../platform/postgres/database.ts';
import {
  listMatchableOfAnyProject,
  listMatched,
  type ProjectAccount,
  queueUnmatched,
} from './unmatched.store.ts';

const ACCOUNTS_MAX = 200;
const RECEIPTS_MAX = 500;

/**
 * Has receipts processed again whose events found no connection, once there is one. The transaction that makes a
 * connection asks after its commit, and so does the one that found none: the later of the two sees what the other did.
 */
export function createWaitingMatches({
  db,
  kick,
  log,
}: {
  db: Db;
  /** The project has receipts to process. */
  kick(projectId: string): void;
  log: { warn(fields: object, message: string): void };
}) {
  async function matchAccount(account: ProjectAccount): Promise<void> {
    let queued = RECEIPTS_MAX;
    while (queued === RECEIPTS_MAX) {
      queued = await db.transaction((trx) => queueUnmatched(trx, account, RECEIPTS_MAX));
      if (queued > 0) kick(account.projectId);
    }
  }

  async function match(find: () => Promise<readonly ProjectAccount[]>): Promise<void> {
    try {
      for (const account of await find()) await matchAccount(account);
    } catch (error) {
      log.warn({ err: error }, 'webhooks that waited for a connection are matched later');
    }
  }

  const runs = createCoalescedRuns(() => match(() => listMatchableOfAnyProject(db, ACCOUNTS_MAX)));
  return {
    /** Every account of which events wait. Does not reject. */
    matchAll: () => runs.ask('all'),
    /** Those of these accounts that have a connection by now. Does not reject. */
    matchThese: (accounts: readonly ProjectAccount[]) => match(() => listMatched(db, accounts)),
  };
}
