import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { Subscription } from './subscription.ts';
import { listSubscriptionsByOwner, updateSubscription } from './subscriptions.store.ts';

type Owner = { integrationId: string } | { connectionId: string };

type Dependencies = {
  readonly db: Db;
  readonly vault: Vault;
  readonly log: { warn(fields: object, message: string): void };
  addJob(trx: Db, subscription: Pick<Subscription, 'id' | 'projectId'>): Promise<void>;
  removeNow(owner: Owner, limitMs: number): Promise<void>;
};

/** A deletion does not wait for a provider for longer. */
const REMOVAL_MS = 5_000;

/** Takes registrations away at the provider while the credentials for that are there. */
export function createUnregister(deps: Dependencies) {
  const { log } = deps;

  /** Those of a connection or an integration that is about to be erased. Never throws. */
  const removeNow = (owner: Owner): Promise<void> =>
    deps.removeNow(owner, REMOVAL_MS).catch((error: unknown) => {
      log.warn({ err: error }, 'webhooks could not be removed at the provider');
    });

  return {
    removeNow,
    /** Those of the connection; where `erase` fails, the connection stays, and they are made again. */
    async unregisterWhile(connectionId: string, erase: () => Promise<void>): Promise<void> {
      await removeNow({ connectionId });
      try {
        await erase();
      } catch (thrown) {
        await registerAgain(deps, connectionId).catch((error: unknown) => {
          log.warn({ err: error, connectionId }, 'webhooks could not be registered again');
        });
        throw thrown;
      }
    },
  };
}

async function registerAgain({ db, vault, addJob }: Dependencies, connectionId: string): Promise<void> {
  await db.transaction(async (trx) => {
    for (const subscription of await listSubscriptionsByOwner(trx, { connectionId })) {
      if (subscription.state === 'manual' || subscription.state === 'removing') continue;
      await updateSubscription(trx, vault, subscription, { state: 'pending', registrations: [] });
      await addJob(trx, subscription);
    }
  });
}
