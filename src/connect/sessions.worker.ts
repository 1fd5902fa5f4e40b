import type { Grant } from '../connections/connection.ts';
import type { Chore } from '../platform/chores.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import type { DeliveredCodes } from './delivered-codes.store.ts';

const BATCH_MAX = 100;

/**
 * Erases grants that their users have not completed in time, and has them revoked. A session is taken out in one
 * transaction, so that each grant is revoked once, however many processes run this.
 */
export function createSessionsChore(deps: {
  db: Db;
  sessions: ConnectSessionsStore;
  deliveredCodes: DeliveredCodes;
  /** Leaves the revocation to the background; it commits with the transaction. */
  revokeGrant(session: ConnectSession, grant: Grant, trx: Db): Promise<void>;
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  /** Pause between two sweeps. */
  intervalMs: number;
}): Chore {
  async function sweep(signal: AbortSignal): Promise<void> {
    let count = 0;
    while (!signal.aborted && count < BATCH_MAX && (await deps.db.transaction(takeOne))) count += 1;
    await deps.sessions.purgeOfAnyProject(deps.db);
    await deps.deliveredCodes.purgeOfAnyProject();
  }

  /** Erases one abandoned grant and leaves its revocation to the background, in one transaction. */
  async function takeOne(trx: Db): Promise<boolean> {
    const abandoned = await deps.sessions.takeAbandonedOfAnyProject(trx);
    if (abandoned === undefined) return false;
    const { session, grant } = abandoned;
    const fields = { connectSessionId: session.id };
    if (grant === undefined) {
      deps.log.warn(
        fields,
        'a connection was not completed and its grant cannot be unsealed: erased unrevoked',
      );
    } else {
      deps.log.info(fields, 'a connection was not completed: its grant is revoked');
      await deps.revokeGrant(session, grant, trx);
    }
    return true;
  }

  return { name: 'abandoned connect sessions', intervalMs: deps.intervalMs, run: sweep };
}
