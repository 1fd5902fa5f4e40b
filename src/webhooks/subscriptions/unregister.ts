import type { Db } from '../../platform/postgres/database.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import type { Vault } from '../../platform/vault.ts';
import type { Subscription } from './subscription.ts';
import { updateSubscription } from './subscriptions.store.ts';

type Owner = { integrationId: string } | { connectionId: string };

type Dependencies = {
  readonly db: Db;
  readonly vault: Vault;
  readonly log: { warn(fields: object, message: string): void };
  addJob(trx: Db, subscription: Pick<Subscription, 'id' | 'projectId'>): Promise<void>;
  announce(projectId: string): void;
  removeNow(owner: Owner, limitMs: number, noteRemoved: (subscription: Subscription) => void): Promise<void>;
};

/** A deletion does not wait for a provider for longer. */
const REMOVAL_MS = 5_000;

/** Takes registrations away at the provider while the credentials for that are there. */
export function createUnregister(deps: Dependencies) {
  const { log } = deps;

  /** Those of a connection or an integration that is about to be erased; answers which have none any more. Never throws. */
  async function removeNow(owner: Owner): Promise<readonly Subscription[]> {
    const removed: Subscription[] = [];
    await deps
      .removeNow(owner, REMOVAL_MS, (subscription) => removed.push(subscription))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'webhooks could not be removed at the provider');
      });
    return removed;
  }

  return {
    removeRegistrations: async (owner: Owner): Promise<void> => void (await removeNow(owner)),
    /** Those of the connection; where `erase` fails, the connection stays, and they are made again. */
    async unregisterWhile(connectionId: string, erase: () => Promise<void>): Promise<void> {
      const removed = await removeNow({ connectionId });
      try {
        await erase();
      } catch (thrown) {
        // What failed may have used up the time that this request has for the store.
        await withoutStoreLimit(() => registerAgain(deps, removed)).catch((error: unknown) => {
          log.warn({ err: error, connectionId }, 'webhooks could not be registered again');
        });
        throw thrown;
      }
    },
  };
}

async function registerAgain(
  { db, vault, addJob, announce }: Dependencies,
  removed: readonly Subscription[],
): Promise<void> {
  if (removed.length === 0) return;
  await db.transaction(async (trx) => {
    for (const subscription of removed) {
      if (subscription.state === 'removing') continue;
      await updateSubscription(trx, vault, subscription, { state: 'pending', registrations: [] });
      await addJob(trx, subscription);
    }
  });
  for (const { projectId } of removed) announce(projectId);
}
