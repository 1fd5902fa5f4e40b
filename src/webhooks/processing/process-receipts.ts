import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppendEvents } from '../../events/stream/stream.ts';
import type { DataKeys } from '../../platform/data-keys.ts';
import { afterCommit } from '../../platform/postgres/after-commit.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Pseudonyms } from '../../platform/pseudonyms.ts';
import type { WebhookDescription } from '../message/webhook.ts';
import { openSealedBody } from '../receipts/receipts.store.ts';
import type { ExtractPart } from './body-threads.ts';
import { type DeduplicateDeps, deduplicate } from './deduplicate.ts';
import { findErasedAccounts, removeReceipts } from './erased-accounts.store.ts';
import { matchItems, type OpenedReceipt } from './match-items.ts';
import {
  lockProject,
  lockWaiting,
  type ReceiptHead,
  readWaiting,
  saveResults,
  takeBytes,
  type WaitingReceipt,
} from './processing.store.ts';
import { noteUnmatched, type ProjectAccount } from './unmatched.store.ts';

/** Items that one transaction takes on; the rest of a large webhook is left to the next ones. */
const ITEMS_MAX = 2_000;
/** Bodies read at a time: how many receipts make up the items is not known before. */
const BYTES_AT_ONCE = 256 * 1024;

export type ProcessingRun = 'busy' | 'done' | 'more';

export type ProcessReceiptsDependencies = DeduplicateDeps & {
  readonly dataKeys: DataKeys;
  readonly append: AppendEvents;
  readonly pseudonyms: Pick<Pseudonyms, 'find'>;
  readonly extractPart: ExtractPart;
  /** What is known of the integration's provider now; undefined where the integration is gone. */
  describe(integrationId: string): Promise<WebhookDescription | undefined>;
  /** How many of so many items a transaction takes at present. */
  limitItems(most: number): number;
  /** Called after the commit with accounts that had no connection: one may have been made since they were looked up. */
  matchLater(accounts: readonly ProjectAccount[]): void;
};

/**
 * Makes events of the oldest receipts of a project, in one transaction that holds their rows: after a crash they are as
 * they were. `busy`: another process is at it. `more`: more receipts may wait. Rejects as queries do.
 */
export async function processReceipts(
  deps: ProcessReceiptsDependencies,
  trx: Db,
  projectId: string,
  receiptsMax?: number,
): Promise<ProcessingRun> {
  if (!(await lockProject(trx, projectId))) return 'busy';
  const waiting = await lockWaiting(trx, projectId, receiptsMax);
  if (waiting.length === 0) return 'done';
  const opened = await openAll(deps, trx, waiting);
  const matched = await matchItems(trx, projectId, opened);
  const { events, results, unmatched: without } = await deduplicate(deps, trx, opened, matched);
  const erased = await findErasedAccounts(trx, deps.pseudonyms, projectId, without);
  const unmatched = without.filter((account) => !erased.has(account));
  await noteUnmatched(trx, unmatched);
  if (unmatched.length > 0) afterCommit(trx, () => deps.matchLater(unmatched));
  await saveResults(trx, results);
  await removeReceipts(
    trx,
    Array.from(erased, ({ receiptId, createdAt }) => ({ id: receiptId, created_at: createdAt })),
  );
  await deps.append(trx, projectId, events);
  return 'more';
}

/** Opens the receipts and extracts their events, up to as many as one transaction takes. */
async function openAll(
  deps: ProcessReceiptsDependencies,
  trx: Db,
  waiting: readonly ReceiptHead[],
): Promise<OpenedReceipt[]> {
  const opened: OpenedReceipt[] = [];
  const itemsMax = deps.limitItems(ITEMS_MAX);
  let items = 0;
  let rest = waiting;
  while (rest.length > 0 && items < itemsMax) {
    const group = takeBytes(rest, BYTES_AT_ONCE);
    rest = rest.slice(group.length);
    for (const receipt of await readWaiting(trx, group)) {
      if (items >= itemsMax) break;
      const one = await open(deps, trx, receipt, itemsMax - items);
      items += one.items.length;
      opened.push(one);
      // Each of them may cost milliseconds.
      await nextTurn();
    }
  }
  return opened;
}

/** The accounts of a receipt's items, those of its first part only where it is very large. */
export async function readAccounts(
  deps: Pick<ProcessReceiptsDependencies, 'dataKeys' | 'extractPart' | 'describe'>,
  db: Db,
  receipt: WaitingReceipt,
): Promise<readonly string[]> {
  const { items } = await open(deps, db, receipt, ITEMS_MAX);
  return items.flatMap(({ accountId }) => accountId ?? []);
}

async function open(
  deps: Pick<ProcessReceiptsDependencies, 'dataKeys' | 'extractPart' | 'describe'>,
  trx: Db,
  receipt: WaitingReceipt,
  itemsMax: number,
): Promise<OpenedReceipt> {
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
