import { createHash } from 'node:crypto';
import type { Db } from '../../platform/postgres/database.ts';
import type { VerifiedReason } from '../message/verified-reasons.ts';
import type { WebhookItem } from '../message/webhook.ts';
import { findMatches, type MatchedConnection, type WaitingReceipt } from './processing.store.ts';

/** The longest name of an account that is looked for; no connection has a longer one. */
const ACCOUNT_LENGTH_MAX = 500;

/** A receipt with its items from the next one on. */
export type OpenedReceipt = {
  readonly receipt: WaitingReceipt;
  readonly items: readonly WebhookItem[];
  readonly total: number;
  readonly reason: VerifiedReason | null;
  readonly retryHours: number;
};

/** One item, the connections that it belongs to, and the key by which a repetition of it is known. */
export type MatchedItem = {
  readonly opened: OpenedReceipt;
  readonly item: WebhookItem;
  readonly connections: readonly MatchedConnection[];
  readonly keyHash: Buffer;
};

/** Finds the connections of every item: that of the receipt's address, or those of the item's account. */
export async function matchItems(
  trx: Db,
  projectId: string,
  opened: readonly OpenedReceipt[],
): Promise<MatchedItem[]> {
  const connectionIds = new Set(opened.flatMap(({ receipt }) => receipt.connection_id ?? []));
  const found = await findMatches(trx, projectId, listAccounts(opened), [...connectionIds]);
  const byAccount = Map.groupBy(found, (match) => `${match.integration_id} ${match.account_id}`);
  const byId = new Map(found.map((match) => [match.id, match]));
  return opened.flatMap((one) =>
    one.items.map((item, index) => {
      const { integration_id: integrationId, connection_id: connectionId } = one.receipt;
      const connections =
        connectionId === null
          ? (byAccount.get(`${integrationId} ${item.accountId}`) ?? [])
          : [byId.get(connectionId) ?? []].flat();
      return { opened: one, item, connections, keyHash: hashKey(one.receipt, item, index) };
    }),
  );
}

type Account = { readonly integrationId: string; readonly accountId: string };

/** The accounts of items that came to an address of all connections, each once. */
function listAccounts(opened: readonly OpenedReceipt[]): Account[] {
  const accounts = new Map<string, Account>();
  for (const { receipt, items } of opened) {
    const { integration_id: integrationId } = receipt;
    if (receipt.connection_id !== null) continue;
    for (const { accountId } of items) {
      if (isMatchable(accountId)) accounts.set(`${integrationId} ${accountId}`, { integrationId, accountId });
    }
  }
  return [...accounts.values()];
}

/** Whether a connection may have this account. */
export function isMatchable(accountId: string | null): accountId is string {
  return accountId !== null && accountId.length <= ACCOUNT_LENGTH_MAX;
}

/**
 * Ids are unique within an account of the provider, and not beyond. An event without a key is known by its place in its
 * receipt, so that processing the receipt again brings it no second time.
 */
function hashKey(receipt: WaitingReceipt, { accountId, dedupeKey }: WebhookItem, index: number): Buffer {
  const parts =
    dedupeKey === null
      ? ['receipt', receipt.id, receipt.next_item + index]
      : [receipt.connection_id, accountId, dedupeKey];
  return createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
}
