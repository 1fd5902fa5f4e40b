import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { SubscriptionsStore } from './subscriptions.store.ts';
import type { WebhookOwner } from './webhook-owners.ts';

/**
 * Keeps the secret that a provider's handshake brought: with the subscription where the address has one, else with the
 * integration. Only a first one is taken, since nothing proves who sent it. False where there is one already.
 */
export function createKeepFirstSecret(deps: { db: Db; vault: Vault; subscriptions: SubscriptionsStore }) {
  const { db, vault, subscriptions } = deps;
  return async (
    { address, integrationId: id, projectId }: WebhookOwner,
    secret: string,
  ): Promise<boolean> => {
    if (address) {
      return subscriptions.keepFirstSecret(db, address.subscriptionId, projectId, secret);
    }
    const context = { table: 'integrations', column: 'webhook_secret_sealed', rowId: id, projectId };
    const changed = await db('integrations')
      .where({ id, project_id: projectId })
      .whereNull('webhook_secret_sealed')
      .update({ webhook_secret_sealed: vault.seal(secret, context), webhook_secret_rotated_at: db.fn.now() });
    return changed > 0;
  };
}
