import type { Grant } from '../connections/connections.store.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import type { DeliveredCodes } from './delivered-codes.store.ts';

const BATCH_MAX = 100;

/**
 * Revokes and erases what nobody completed in time. Any number of processes may run it: a
 * session is taken out in one transaction, so each grant is revoked once.
 */
export function createSessionsWorker(deps: {
  db: Db;
  sessions: ConnectSessionsStore;
  deliveredCodes: DeliveredCodes;
  revokeGrant(session: ConnectSession, grant: Grant): Promise<void>;
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  /** Pause between two sweeps. */
  intervalMs: number;
}) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function sweep(): Promise<number> {
    let count = 0;
    for (; count < BATCH_MAX; count += 1) {
      const abandoned = await deps.db.transaction((trx) => deps.sessions.takeAbandonedOfAnyProject(trx));
      if (abandoned === undefined) break;
      const { session, grant } = abandoned;
      const fields = { connectSessionId: session.id };
      if (grant === undefined) {
        deps.log.warn(
          fields,
          'nobody completed this connection, and its grant cannot be unsealed: erased unrevoked',
        );
        continue;
      }
      deps.log.info(fields, 'nobody completed this connection: revoking it');
      await deps.revokeGrant(session, grant);
    }
    await deps.sessions.purgeOfAnyProject(deps.db);
    await deps.deliveredCodes.purgeOfAnyProject();
    return count;
  }

  function tick(): void {
    running = sweep()
      .catch((error: unknown) => deps.log.warn({ err: error }, 'sweeping connect sessions failed'))
      .then(() => {
        if (timer !== undefined) timer = setTimeout(tick, deps.intervalMs).unref();
      });
  }

  return {
    sweep,
    start(): void {
      timer = setTimeout(tick, deps.intervalMs).unref();
    },
    async stop(): Promise<void> {
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
  };
}
