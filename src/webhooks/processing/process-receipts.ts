import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppendEvents } from '../../events/stream/stream.ts';
import type { DataKeys } from '../../platform/data-keys.ts';
import { afterCommit } from '../../platform/postgres/after-commit.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { WebhookDescription, WebhookItem } from '../message/webhook.ts';
import { openSealedBody, type ProjectAccount } from '../receipts/receipts.store.ts';
import type { ExtractPart } from './body-threads.ts';
import {
  ACCOUNT_LENGTH_MAX,
  type DeduplicateDeps,
  deduplicate,
  type MatchedItem,
  type OpenedReceipt,
} from './deduplicate.ts';
import {
  findMatches,
  lockProject,
  lockWaiting,
  noteUnmatched,
  type ReceiptHead,
  readWaiting,
  saveResults,
  takeBytes,
  type WaitingReceipt,
} from './processing.store.ts';

/** Items that one transaction takes on; the rest of a large webhook is left to the next ones. */
const ITEMS_MAX = 2_000;
/** Bodies read at a time: how many receipts make up the items is not known before. */
const BYTES_AT_ONCE = 256 * 1024;

export type ProcessingRun = 'busy' | 'done' | 'more';

type Deps = DeduplicateDeps & {
  readonly dataKeys: DataKeys;
  readonly append: AppendEvents;
  readonly extractPart: ExtractPart;
  /** What is known of the integration's provider now; undefined where the integration is gone. */
  describe(integrationId: string): Promise<WebhookDescription | undefined>;
  /** Called after the commit with accounts that had no connection: one may have been made since they were looked up. */
  matchLater(accounts: readonly ProjectAccount[]): void;
};

/**
 * Splits the oldest receipts of a project into events, in one transaction that holds their rows: after a crash they are
 * as they were. `busy`: another process is at it. `more`: there may be more to split. Rejects as queries do.
 */
export async function processReceipts(
  deps: Deps,
  trx: Db,
  projectId: string,
  receiptsMax?: number,
): Promise<ProcessingRun> {
  if (!(await lockProject(trx, projectId))) return 'busy';
  const waiting = await lockWaiting(trx, projectId, receiptsMax);
  if (waiting.length === 0) return 'done';
  const opened = await openAll(deps, trx, waiting);
  const parts = await matchAll(trx, projectId, opened);
  const { events, results, unmatched } = await deduplicate(deps, trx, opened, parts);
  await noteUnmatched(trx, unmatched);
  if (unmatched.length > 0) afterCommit(trx, () => deps.matchLater(unmatched));
  await saveResults(trx, results);
  await deps.append(trx, projectId, events);
  return 'more';
}

/** Opens and splits the receipts, up to as many items as one transaction takes. */
async function openAll(deps: Deps, trx: Db, waiting: readonly ReceiptHead[]): Promise<OpenedReceipt[]> {
  const opened: OpenedReceipt[] = [];
  let items = 0;
  let rest = waiting;
  while (rest.length > 0 && items < ITEMS_MAX) {
    const group = takeBytes(rest, BYTES_AT_ONCE);
    rest = rest.slice(group.length);
    for (const receipt of await readWaiting(trx, group)) {
      if (items >= ITEMS_MAX) break;
      const one = await open(deps, trx, receipt, ITEMS_MAX - items);
      items += one.items.length;
      opened.push(one);
      // Each of them may cost milliseconds.
      await nextTurn();
    }
  }
  return opened;
}

async function open(deps: Deps, trx: Db, receipt: WaitingReceipt, itemsMax: number): Promise<OpenedReceipt> {
  const nothing = { receipt, items: [], total: 0, retryHours: 0 };
  const description = await deps.describe(receipt.integration_id);
  if (description === undefined) return { ...nothing, reason: 'not_received_any_more' };
  const { id, project_id: projectId, body_sealed: sealed } = receipt;
  const body = await openSealedBody(trx, deps.dataKeys, { id, projectId }, sealed);
  if (body === undefined) return { ...nothing, reason: 'key_gone' };
  const request = {
    method: receipt.method,
    url: '',
    query: receipt.query,
    headers: new Map(Object.entries(receipt.headers)),
    body,
  };
  const part = await deps.extractPart(description, request, { from: receipt.next_item, count: itemsMax });
  if (!part.ok) return { ...nothing, reason: part.reason };
  const { items, total } = part;
  return { receipt, items, total, reason: null, retryHours: description.retryHours ?? 0 };
}

async function matchAll(
  trx: Db,
  projectId: string,
  opened: readonly OpenedReceipt[],
): Promise<MatchedItem[]> {
  const accounts = new Map<string, { integrationId: string; accountId: string }>();
  const connectionIds = new Set<string>();
  for (const { receipt, items } of opened) {
    const { integration_id: integrationId, connection_id: connectionId } = receipt;
    if (connectionId !== null) connectionIds.add(connectionId);
    else
      for (const { accountId } of items) {
        if (accountId === null || accountId.length > ACCOUNT_LENGTH_MAX) continue;
        accounts.set(`${integrationId} ${accountId}`, { integrationId, accountId });
      }
  }
  const found = await findMatches(trx, projectId, [...accounts.values()], [...connectionIds]);
  const byAccount = Map.groupBy(found, (match) => `${match.integration_id} ${match.account_id}`);
  const byId = new Map(found.map((match) => [match.id, match]));
  return opened.flatMap((one) =>
    one.items.map((item, index) => {
      const { integration_id: integrationId, connection_id: connectionId } = one.receipt;
      const own = connectionId === null ? undefined : byId.get(connectionId);
      const ofAccount = byAccount.get(`${integrationId} ${item.accountId}`) ?? [];
      const connections = connectionId === null ? ofAccount : own ? [own] : [];
      return { opened: one, item, connections, keyHash: hashKey(one.receipt, item, index) };
    }),
  );
}

/**
 * Ids are unique within an account of the provider, and not beyond. An event without a key is known by its place in its
 * receipt, so that splitting the receipt again brings it no second time.
 */
function hashKey(receipt: WaitingReceipt, { accountId, dedupeKey }: WebhookItem, index: number): Buffer {
  const parts =
    dedupeKey === null
      ? ['receipt', receipt.id, receipt.next_item + index]
      : [receipt.connection_id, accountId, dedupeKey];
  return createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
}
