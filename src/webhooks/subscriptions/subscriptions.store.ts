import { newId } from '../../lib/ids.ts';
import { createOpaqueToken } from '../../lib/opaque-tokens.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { HandshakeSecrets, Registered, Subscription, SubscriptionState } from './subscription.ts';
import {
  openAddress,
  openHandshakes,
  openSecret,
  type SubscriptionRow,
  sealColumn,
  toSubscription,
} from './subscription-rows.ts';

/** An integration, or one of its connections, in a project. */
type Owner = {
  readonly projectId: string;
  readonly integrationId: string;
  readonly connectionId: string | null;
};

type WantedSubscription = {
  readonly state: SubscriptionState;
  readonly events: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
  /** Left out: the one that is there stays. */
  readonly secret?: string | undefined;
};

type SubscriptionChange = {
  readonly state?: SubscriptionState;
  readonly secret?: string;
  readonly registrations?: readonly Registered[];
  readonly expiresAt?: Date | null;
  readonly registeredAt?: Date;
  readonly lastError?: string | null;
};

/**
 * The subscription of the integration, or of the connection; made where there is none. `token` is the unguessable part
 * of its address.
 */
export async function ensureSubscription(
  db: Db,
  vault: Vault,
  owner: Owner,
  wanted: WantedSubscription,
): Promise<{ subscription: Subscription; token: string }> {
  const { token, hash } = createOpaqueToken('');
  const row = { id: newId(), project_id: owner.projectId };
  const wishes = { wanted_events: wanted.events, parameters: wanted.parameters, state: wanted.state };
  await db('webhook_subscriptions')
    .insert({
      ...row,
      ...wishes,
      integration_id: owner.integrationId,
      connection_id: owner.connectionId,
      address_hash: hash,
      address_sealed: sealColumn(vault, 'address_sealed', row, token),
    })
    .onConflict(db.raw('(integration_id, connection_id)'))
    .merge({ ...wishes, updated_at: db.fn.now() });
  const stored = await findRowByOwner(db, owner);
  if (stored === undefined) throw new Error('a subscription vanished while it was made');
  const subscription = toSubscription(stored);
  const { secret } = wanted;
  if (secret !== undefined) await updateSubscription(db, vault, subscription, { secret });
  return { subscription, token: openAddress(vault, stored) };
}

async function findRowByOwner(
  db: Db,
  { integrationId, connectionId }: Pick<Owner, 'integrationId' | 'connectionId'>,
): Promise<SubscriptionRow | undefined> {
  return db<SubscriptionRow>('webhook_subscriptions')
    .where({ integration_id: integrationId, connection_id: connectionId })
    .first();
}

export async function updateSubscription(
  db: Db,
  vault: Vault,
  { id, projectId }: Pick<Subscription, 'id' | 'projectId'>,
  change: SubscriptionChange,
): Promise<void> {
  const row = { id, project_id: projectId };
  const { state, secret, registrations, expiresAt, registeredAt, lastError } = change;
  await db('webhook_subscriptions')
    .where(row)
    .update({
      ...(state && { state }),
      ...(secret !== undefined && { secret_sealed: sealColumn(vault, 'secret_sealed', row, secret) }),
      ...(registrations && { registrations: JSON.stringify(registrations) }),
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
      ...(registeredAt && { registered_at: registeredAt }),
      ...(lastError !== undefined && {
        last_error: lastError,
        last_error_at: lastError === null ? null : db.fn.now(),
      }),
      version: db.raw('version + 1'),
      updated_at: db.fn.now(),
    });
}

/** Of an integration, newest first. */
export async function listSubscriptions(
  db: Db,
  integrationId: string,
  beforeId: string | undefined,
  limit: number,
): Promise<Subscription[]> {
  const rows = await db<SubscriptionRow>('webhook_subscriptions')
    .where({ integration_id: integrationId })
    .modify((query) => {
      if (beforeId !== undefined) query.where('id', '<', beforeId);
    })
    .orderBy('id', 'desc')
    .limit(limit);
  return rows.map(toSubscription);
}

/** Those of a connection, or of an integration. */
export async function listSubscriptionsByOwner(
  db: Db,
  owner: { integrationId: string } | { connectionId: string },
): Promise<Subscription[]> {
  const rows = await db<SubscriptionRow>('webhook_subscriptions').where(
    'integrationId' in owner
      ? { integration_id: owner.integrationId }
      : { connection_id: owner.connectionId },
  );
  return rows.map(toSubscription);
}

export async function findSubscription(db: Db, id: string): Promise<Subscription | undefined> {
  const row = await db<SubscriptionRow>('webhook_subscriptions').where({ id }).first();
  return row && toSubscription(row);
}

/** Whether there is a subscription of the integration, or of the connection, with a secret. */
export async function hasSubscriptionSecret(
  db: Db,
  owner: Pick<Owner, 'integrationId' | 'connectionId'>,
): Promise<boolean> {
  const row = await findRowByOwner(db, owner);
  return row !== undefined && row.secret_sealed !== null;
}

/** A subscription with its secrets, for the calls that register it. */
export async function openSubscription(
  db: Db,
  vault: Vault,
  id: string,
): Promise<
  | { subscription: Subscription; token: string; secret: string | null; handshakes: HandshakeSecrets }
  | undefined
> {
  const row = await db<SubscriptionRow>('webhook_subscriptions').where({ id }).first();
  if (row === undefined) return undefined;
  return {
    subscription: toSubscription(row),
    token: openAddress(vault, row),
    secret: openSecret(vault, row),
    handshakes: openHandshakes(vault, row),
  };
}

export async function removeSubscription(
  db: Db,
  { id, projectId }: Pick<Subscription, 'id' | 'projectId'>,
): Promise<void> {
  await db('webhook_subscriptions').where({ id, project_id: projectId }).delete();
}

/** Whether the gateway or an operator registered webhooks of the integration. */
export async function hasSubscriptions(db: Db, integrationId: string): Promise<boolean> {
  const row = await db('webhook_subscriptions').where({ integration_id: integrationId }).first('id');
  return row !== undefined;
}
