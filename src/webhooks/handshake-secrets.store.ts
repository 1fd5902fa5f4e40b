import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { SubscriptionsStore } from './subscriptions.store.ts';
import type { WebhookOwner } from './webhook-owners.ts';

/**
 * Keeps the secret that a provider's handshake brought: with the subscription where the address has one, else with the
 * integration; that of one registration only at an address with an unguessable part. Only a first one is taken, since
 * nothing proves who sent it. False where there is one already.
 */
export function createKeepFirstSecret(deps: {
  db: Db;
  vault: Vault;
  subscriptions: SubscriptionsStore;
  /** Adds the job that tells the provider the secret, where it wants to hear it. */
  addJob(trx: Db, subscription: { id: string; projectId: string }): Promise<void>;
}) {
  const { db, vault, subscriptions } = deps;

  async function keepOfIntegration({ integrationId: id, projectId }: WebhookOwner, secret: string) {
    const context = { table: 'integrations', column: 'webhook_secret_sealed', rowId: id, projectId };
    const changed = await db('integrations')
      .where({ id, project_id: projectId })
      .whereNull('webhook_secret_sealed')
      .update({ webhook_secret_sealed: vault.seal(secret, context), webhook_secret_rotated_at: db.fn.now() });
    return changed > 0;
  }

  return async (
    owner: WebhookOwner,
    secret: string,
    registrationId: string | undefined,
  ): Promise<boolean> => {
    const { address, projectId } = owner;
    if (address === undefined) return registrationId === undefined && keepOfIntegration(owner, secret);
    const { subscriptionId: id } = address;
    return db.transaction(async (trx) => {
      const isKept =
        registrationId === undefined
          ? await subscriptions.keepFirstSecret(trx, id, projectId, secret)
          : await subscriptions.keepHandshake(trx, { id, projectId }, { registrationId, secret });
      if (isKept) await deps.addJob(trx, { id, projectId });
      return isKept;
    });
  };
}
