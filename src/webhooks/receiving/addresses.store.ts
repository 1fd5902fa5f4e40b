import { credentialsContext, unpackCredentials } from '../../connections/credentials.ts';
import { sha256 } from '../../lib/opaque-tokens.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { HandshakeSecrets } from '../subscriptions/subscription.ts';
import { openHandshakes, openSecret, type SubscriptionRow } from '../subscriptions/subscription-rows.ts';

/** An address with an unguessable part. */
export type WebhookAddress = {
  readonly subscriptionId: string;
  readonly projectId: string;
  readonly integrationId: string;
  readonly connectionId: string | null;
  readonly secret: string | null;
  readonly handshakes: HandshakeSecrets;
  /** The values of the connection's credential, of which some providers' secrets are made. */
  readonly credential: Readonly<Record<string, string>> | undefined;
};

type AddressRow = SubscriptionRow & { credentials_sealed: string | null };

/** The addresses with these unguessable parts, by `<integration id>/<part>`. */
export async function findAddressesOfAnyProject(
  db: Db,
  vault: Vault,
  keys: readonly string[],
): Promise<ReadonlyMap<string, WebhookAddress>> {
  const byHash = new Map(keys.map((key) => [hashAddressKey(key).toString('hex'), key]));
  const rows = await db('webhook_subscriptions AS s')
    .leftJoin('connections AS c', 'c.id', 's.connection_id')
    .whereIn('s.address_hash', keys.map(hashAddressKey))
    .select<AddressRow[]>('s.*', 'c.credentials_sealed');
  const found = new Map<string, WebhookAddress>();
  for (const row of rows) {
    const key = byHash.get(row.address_hash?.toString('hex') ?? '') ?? '';
    // The part belongs to one integration: before the address of another one it is unknown.
    if (key.startsWith(`${row.integration_id}/`)) found.set(key, toAddress(vault, row));
  }
  return found;
}

/** The project's other integrations with the same provider, the newest first. */
export async function listSiblings(
  db: Db,
  { integrationId, projectId }: { readonly integrationId: string; readonly projectId: string },
  limit: number,
): Promise<string[]> {
  const provider = db('integrations')
    .where({ id: integrationId, project_id: projectId })
    .select('service_provider');
  const rows = await db('integrations')
    .where({ project_id: projectId, service_provider: provider })
    .whereNot({ id: integrationId })
    .whereNull('deleted_at')
    .orderBy('id', 'desc')
    .limit(limit)
    .select<{ id: string }[]>('id');
  return rows.map(({ id }) => id);
}

/** The hash of the part of an address: the key is `<integration id>/<part>`. */
function hashAddressKey(key: string): Buffer {
  return sha256(key.slice(key.indexOf('/') + 1));
}

function toAddress(vault: Vault, row: AddressRow): WebhookAddress {
  return {
    subscriptionId: row.id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    connectionId: row.connection_id,
    secret: openSecret(vault, row),
    handshakes: openHandshakes(vault, row),
    credential: openCredential(vault, row),
  };
}

function openCredential(vault: Vault, row: AddressRow): WebhookAddress['credential'] {
  if (row.credentials_sealed === null || row.connection_id === null) return undefined;
  const context = credentialsContext(row.connection_id, row.project_id);
  return unpackCredentials(vault.open(row.credentials_sealed, context)).values;
}
