import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { WebhookDescription } from '../message/webhook.ts';
import type { AwaitedHandshake, HandshakeSecrets, Registered } from './subscription.ts';
import {
  openAwaited,
  openHandshakes,
  type SubscriptionRow,
  sealColumn,
  sealHandshakes,
} from './subscription-rows.ts';

/** More registrations than a subscription has events. */
const HANDSHAKES_MAX = 250;
/** Longer than a provider takes to answer a registration: some send the handshake afterwards. */
const AWAITED_MS = 2 * 60_000;

type SubscriptionKey = { readonly id: string; readonly projectId: string };

type Handshakes = {
  readonly secrets: HandshakeSecrets;
  readonly awaited: AwaitedHandshake | undefined;
};

type LockedRow = SubscriptionRow & { store_now: Date };

/**
 * Whether the secret comes by a handshake that names no registration, so that at an address which the gateway registers
 * only the registration under way says whose it is.
 */
export function awaitsHandshake({
  secret,
  handshake = [],
}: Pick<WebhookDescription, 'secret' | 'handshake'>): boolean {
  return (
    secret.from === 'handshake' &&
    handshake.some(({ keepSecret, registration }) => keepSecret !== undefined && registration === undefined)
  );
}

/** Takes the secret of one handshake for the registration that is about to be asked for, for some minutes. */
export async function awaitHandshake(
  db: Db,
  vault: Vault,
  subscription: SubscriptionKey,
  webhookId: string,
): Promise<void> {
  await changeHandshakes(db, vault, subscription, ({ secrets, awaited }, row) => {
    const until = new Date(row.store_now.getTime() + AWAITED_MS);
    const isLost = !row.registrations.some((known) => known.webhookId === awaited?.webhookId);
    // What an earlier request may have registered without an answer is not the gateway's any more.
    const kept = isLost && awaited ? omit(secrets, [awaited.webhookId]) : secrets;
    return { secrets: kept, awaited: { webhookId, until } };
  });
}

/** The provider refused the registration: no handshake is of it, and the secret of one that came counts no more. */
export async function forgetAwaited(
  db: Db,
  vault: Vault,
  subscription: SubscriptionKey,
  webhookId: string,
): Promise<void> {
  await changeHandshakes(db, vault, subscription, ({ secrets }) => ({
    secrets: omit(secrets, [webhookId]),
    awaited: undefined,
  }));
}

/** Ends what counts for registrations that are gone, also what came before secrets were kept for each. */
export async function dropHandshakes(
  db: Db,
  vault: Vault,
  subscription: SubscriptionKey,
  gone: readonly Registered[],
): Promise<void> {
  const ids = gone.flatMap(({ id, webhookId }) => [id ?? '', webhookId ?? '']);
  await changeHandshakes(db, vault, subscription, ({ secrets, awaited }) => {
    const left = omit(secrets, ids);
    return { secrets: left, awaited, endsFirst: Object.keys(left).length > 0 };
  });
}

/**
 * Takes the secret of the handshake that is awaited; undefined where none is. True also where it is the one that is
 * known: the provider asks again where an answer was lost. `isRegistered`: the provider has answered the registration.
 */
export async function keepAwaitedSecret(
  trx: Db,
  vault: Vault,
  subscription: SubscriptionKey,
  secret: string,
): Promise<{ readonly isRegistered: boolean } | undefined> {
  const row = await lockRow(trx, subscription);
  const awaited = row && openAwaited(vault, row);
  if (row === undefined || awaited === undefined || awaited.until <= row.store_now) return undefined;
  const { webhookId } = awaited;
  const secrets = addSecret(openHandshakes(vault, row), webhookId, secret);
  if (secrets === undefined) return undefined;
  await writeHandshakes(trx, vault, row, { secrets, awaited });
  return { isRegistered: row.registrations.some((known) => known.webhookId === webhookId) };
}

/**
 * Takes the secret that a handshake brought for one registration, where none is known for it. True also where it is
 * the one that is known: the provider asks again where an answer was lost.
 */
export async function keepRegistrationSecret(
  trx: Db,
  vault: Vault,
  subscription: SubscriptionKey,
  { registrationId, secret }: { readonly registrationId: string; readonly secret: string },
): Promise<boolean> {
  const row = await lockRow(trx, subscription);
  const secrets = row && addSecret(openHandshakes(vault, row), registrationId, secret);
  if (row === undefined || secrets === undefined) return false;
  await writeHandshakes(trx, vault, row, { secrets, awaited: openAwaited(vault, row) });
  return true;
}

/** Takes the secret that a handshake brought for an address, where none is known. False where there was one. */
export async function keepAddressSecret(
  db: Db,
  vault: Vault,
  { id, projectId }: SubscriptionKey,
  secret: string,
  { byHandOnly }: { readonly byHandOnly: boolean },
): Promise<boolean> {
  const row = { id, project_id: projectId };
  const changed = await db('webhook_subscriptions')
    .where({ ...row, ...(byHandOnly && { state: 'manual' }) })
    .whereNull('secret_sealed')
    .update({ secret_sealed: sealColumn(vault, 'secret_sealed', row, secret), updated_at: db.fn.now() });
  return changed > 0;
}

/** Undefined where the registration has another one, or there are too many. */
function addSecret(held: HandshakeSecrets, id: string, secret: string): HandshakeSecrets | undefined {
  if (Object.hasOwn(held, id)) return held[id] === secret ? held : undefined;
  return Object.keys(held).length >= HANDSHAKES_MAX ? undefined : { ...held, [id]: secret };
}

function omit(secrets: HandshakeSecrets, ids: readonly string[]): HandshakeSecrets {
  return Object.fromEntries(Object.entries(secrets).filter(([id]) => !ids.includes(id)));
}

async function changeHandshakes(
  db: Db,
  vault: Vault,
  subscription: SubscriptionKey,
  change: (handshakes: Handshakes, row: LockedRow) => Handshakes & { readonly endsFirst?: boolean },
): Promise<void> {
  await db.transaction(async (trx) => {
    const row = await lockRow(trx, subscription);
    if (row === undefined) return;
    const handshakes = { secrets: openHandshakes(vault, row), awaited: openAwaited(vault, row) };
    await writeHandshakes(trx, vault, row, change(handshakes, row));
  });
}

function lockRow(trx: Db, { id, projectId }: SubscriptionKey): Promise<LockedRow | undefined> {
  return trx('webhook_subscriptions')
    .where({ id, project_id: projectId })
    .forUpdate()
    .first<LockedRow | undefined>('*', trx.raw('now() AS store_now'));
}

async function writeHandshakes(
  trx: Db,
  vault: Vault,
  row: SubscriptionRow,
  { secrets, awaited, endsFirst = false }: Handshakes & { readonly endsFirst?: boolean },
): Promise<void> {
  await trx('webhook_subscriptions')
    .where({ id: row.id, project_id: row.project_id })
    .update({
      handshakes_sealed: sealHandshakes(vault, row, secrets, awaited),
      // Named even where it stays: the store notifies other replicas of this column only.
      secret_sealed: endsFirst ? null : row.secret_sealed,
      updated_at: trx.fn.now(),
    });
}
