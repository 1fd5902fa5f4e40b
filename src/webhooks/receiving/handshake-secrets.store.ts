import { PREVIOUS_SECRET_DAYS } from '../../integrations/secrets/integration-secrets.store.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import {
  awaitsHandshake,
  keepAddressSecret,
  keepAwaitedSecret,
  keepRegistrationSecret,
} from '../subscriptions/handshakes.store.ts';
import type { WebhookOwner } from './addresses.ts';

/** How long an operator has to register the address at the provider. */
const HANDSHAKE_MINUTES = 15;

/**
 * What became of a secret that a handshake brought. `not_awaited`: its address can be guessed, and no operator waits for
 * the provider's handshake there.
 */
export type KeptSecret = 'kept' | 'known' | 'not_awaited';

/** Whether the address of an integration has a webhook secret, and until when it takes one of a handshake. */
export type HandshakeWait = { readonly hasSecret: boolean; readonly until: Date | null };

type Owner = { readonly id: string; readonly projectId: string };

/**
 * Keeps the secret that a provider's handshake brought: with the subscription where the address has one, else with the
 * integration; that of one registration only at an address with an unguessable part. Nothing proves who sent it. So an
 * address that the gateway registers takes one for each registration that is under way, one that is registered by hand
 * a first one, and the integration's own address, which every end user reads, a first one while an operator waits for it.
 */
export function createKeepFirstSecret(deps: {
  db: Db;
  vault: Vault;
  /** Adds the job that confirms the secret at the provider, where it wants that. */
  addJob(trx: Db, subscription: { id: string; projectId: string }): Promise<void>;
}) {
  const { db, vault } = deps;
  return async (
    owner: WebhookOwner,
    secret: string,
    registrationId: string | undefined,
  ): Promise<KeptSecret> => {
    const { address, projectId } = owner;
    if (address === undefined) {
      return registrationId === undefined ? keepIntegrationSecret(db, vault, owner, secret) : 'known';
    }
    const subscription = { id: address.subscriptionId, projectId };
    return db.transaction(async (trx) => {
      const awaited =
        registrationId === undefined ? await keepAwaitedSecret(trx, vault, subscription, secret) : undefined;
      // The job that asked for the registration goes on by itself once the provider has answered.
      if (awaited?.isRegistered === false) return 'kept';
      const isKept =
        awaited !== undefined ||
        (registrationId === undefined
          ? await keepOnlySecret(trx, vault, owner, { subscription, secret })
          : await keepRegistrationSecret(trx, vault, subscription, { registrationId, secret }));
      if (isKept) await deps.addJob(trx, subscription);
      return isKept ? 'kept' : 'known';
    });
  };
}

async function keepOnlySecret(
  trx: Db,
  vault: Vault,
  { description, secrets }: WebhookOwner,
  { subscription, secret }: { readonly subscription: Owner; readonly secret: string },
): Promise<boolean> {
  if (secrets.length > 0) return false;
  const byHandOnly = awaitsHandshake(description);
  return keepAddressSecret(trx, vault, subscription, secret, { byHandOnly });
}

async function keepIntegrationSecret(
  db: Db,
  vault: Vault,
  { integrationId: id, projectId }: WebhookOwner,
  secret: string,
): Promise<KeptSecret> {
  const context = { table: 'integrations', column: 'webhook_secret_sealed', rowId: id, projectId };
  const changed = await db('integrations')
    .where({ id, project_id: projectId })
    .whereNull('webhook_secret_sealed')
    .where('webhook_handshake_until', '>', db.fn.now())
    .update({
      webhook_secret_sealed: vault.seal(secret, context),
      webhook_secret_rotated_at: db.fn.now(),
      webhook_handshake_until: null,
    });
  return changed > 0 ? 'kept' : 'not_awaited';
}

/** A secret of before counts for a while, and no handshake is taken while one counts. */
const HAS_SECRET = `(webhook_secret_sealed IS NOT NULL OR (previous_webhook_secret_sealed IS NOT NULL
  AND webhook_secret_rotated_at > now() - interval '${PREVIOUS_SECRET_DAYS} days'))`;

/** Takes the secret of the next handshake at the integration's address for some minutes; undefined where one is known. */
export async function awaitHandshake(db: Db, { id, projectId }: Owner): Promise<Date | undefined> {
  const [row] = await db('integrations')
    .where({ id, project_id: projectId })
    .whereNull('deleted_at')
    .whereRaw(`NOT ${HAS_SECRET}`)
    .update({ webhook_handshake_until: db.raw(`now() + interval '${HANDSHAKE_MINUTES} minutes'`) })
    .returning<{ webhook_handshake_until: Date }[]>('webhook_handshake_until');
  return row?.webhook_handshake_until;
}

/** What the address of the integration waits for; undefined where the integration is gone. */
export async function readHandshakeWait(
  db: Db,
  { id, projectId }: Owner,
): Promise<HandshakeWait | undefined> {
  return db('integrations')
    .where({ id, project_id: projectId })
    .whereNull('deleted_at')
    .first<HandshakeWait | undefined>(
      db.raw(`${HAS_SECRET} AS "hasSecret"`),
      db.raw('CASE WHEN webhook_handshake_until > now() THEN webhook_handshake_until END AS until'),
    );
}
