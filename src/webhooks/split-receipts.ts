import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewEvent } from '../events/event.ts';
import type { AppendEvents } from '../events/stream.ts';
import type { DataKeys } from '../platform/data-keys.ts';
import type { Db } from '../platform/postgres/database.ts';
import { openSealedBody } from './receipts.store.ts';
import { splitWebhook } from './split.ts';
import {
  type EventKey,
  findMatches,
  lockProject,
  lockWaiting,
  type MatchedConnection,
  nameOf,
  noteKeys,
  noteUnmatched,
  type SplitResult,
  saveResults,
  type UnmatchedAccount,
  type WaitingReceipt,
} from './splitting.store.ts';
import type { WebhookDescription, WebhookItem } from './webhook.ts';

/** Items that one transaction takes on; the rest of a large webhook is left to the next ones. */
const ITEMS_MAX = 1_000;
/** Events of one transaction, beyond which no other item is taken on. */
const EVENTS_MAX = 2_000;
const DAY_MS = 24 * 3_600_000;
/** Events with an id of the provider's are recognised for so long. */
const KEY_DAYS = 8;
/** What is recognised by its bytes alone may come again on purpose. */
const RETRY_HOURS = 24;
/** The longest name of an account that is looked for; longer ones belong to nobody. */
const ACCOUNT_LENGTH_MAX = 500;

export type SplitRun = 'busy' | 'done' | 'more';

type Deps = {
  readonly dataKeys: DataKeys;
  readonly append: AppendEvents;
  /** What is known of the integration's provider now; undefined where the integration is gone. */
  describe(integrationId: string, projectId: string): Promise<WebhookDescription | undefined>;
  now(): number;
};

/** A receipt with its items from the next one on. */
type Opened = {
  readonly receipt: WaitingReceipt;
  readonly items: readonly WebhookItem[];
  readonly total: number;
  readonly reason: string | null;
  readonly retryHours: number;
};

/** One item and what is found out about it. */
type Part = {
  readonly opened: Opened;
  readonly item: WebhookItem;
  readonly connections: readonly MatchedConnection[];
  readonly keyHash: Buffer;
};

/**
 * Splits the oldest receipts of a project into events, in one transaction that holds their rows: after a crash they are
 * as they were. `busy`: another process is at it. `more`: there may be more to split. Rejects as queries do.
 */
export async function splitReceipts(
  deps: Deps,
  trx: Db,
  projectId: string,
  receiptsMax?: number,
): Promise<SplitRun> {
  if (!(await lockProject(trx, projectId))) return 'busy';
  const waiting = await lockWaiting(trx, projectId, receiptsMax);
  if (waiting.length === 0) return 'done';
  const opened = await openAll(deps, trx, waiting);
  const parts = await matchAll(trx, projectId, opened);
  const { events, results, unmatched } = await judge(deps, trx, opened, parts);
  await noteUnmatched(trx, unmatched);
  await saveResults(trx, results);
  await deps.append(trx, projectId, events);
  return 'more';
}

/** Opens and splits the receipts, up to as many items as one transaction takes. */
async function openAll(deps: Deps, trx: Db, waiting: readonly WaitingReceipt[]): Promise<Opened[]> {
  const opened: Opened[] = [];
  let items = 0;
  for (const receipt of waiting) {
    if (items >= ITEMS_MAX) break;
    const one = await open(deps, trx, receipt, ITEMS_MAX - items);
    items += one.items.length;
    opened.push(one);
    // Each of them may cost milliseconds.
    await nextTurn();
  }
  return opened;
}

async function open(deps: Deps, trx: Db, receipt: WaitingReceipt, itemsMax: number): Promise<Opened> {
  const nothing = { receipt, items: [], total: 0, retryHours: 0 };
  const description = await deps.describe(receipt.integration_id, receipt.project_id);
  if (description === undefined) return { ...nothing, reason: 'not_received_any_more' };
  const { id, project_id: projectId, body_sealed: sealed } = receipt;
  const body = await openSealedBody(trx, deps.dataKeys, { id, projectId }, sealed);
  if (body === undefined) return { ...nothing, reason: 'key_gone' };
  const split = splitWebhook(description, {
    method: receipt.method,
    url: '',
    query: receipt.query,
    headers: new Map(Object.entries(receipt.headers)),
    body,
  });
  if (!split.ok) return { ...nothing, reason: split.reason };
  return {
    receipt,
    items: split.items.slice(receipt.next_item, receipt.next_item + itemsMax),
    total: split.items.length,
    reason: null,
    retryHours: description.retryHours ?? RETRY_HOURS,
  };
}

async function matchAll(trx: Db, projectId: string, opened: readonly Opened[]): Promise<Part[]> {
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
    one.items.map((item) => {
      const { integration_id: integrationId, connection_id: connectionId } = one.receipt;
      const own = connectionId === null ? undefined : byId.get(connectionId);
      const ofAccount = byAccount.get(`${integrationId} ${item.accountId}`) ?? [];
      const connections = connectionId === null ? ofAccount : own ? [own] : [];
      return { opened: one, item, connections, keyHash: hashKey(item, connectionId) };
    }),
  );
}

/** Ids are unique within an account of the provider, and not beyond. */
function hashKey({ accountId, dedupeKey }: WebhookItem, connectionId: string | null): Buffer {
  const text = JSON.stringify([connectionId, accountId, dedupeKey]);
  return createHash('sha256').update(text).digest().subarray(0, 16);
}

type Tally = { matched: number; unmatched: number; duplicates: number; taken: number };

/** Which items become events. Only those that belong to a connection are remembered as seen. */
async function judge(deps: Deps, trx: Db, opened: readonly Opened[], parts: readonly Part[]) {
  const taken = limitEvents(parts);
  const keys = new Map<string, EventKey>();
  for (const { opened: one, item, connections, keyHash } of taken) {
    const { integration_id: integrationId, id: receiptId } = one.receipt;
    const name = nameOf(integrationId, keyHash);
    if (connections.length === 0 || keys.has(name)) continue;
    const days = item.eventId === null ? one.retryHours / 24 : Math.max(KEY_DAYS, one.retryHours / 24);
    const expiresAt = new Date(deps.now() + days * DAY_MS);
    keys.set(name, { integrationId, keyHash, receiptId, expiresAt });
  }
  const { seen, own } = await noteKeys(trx, [...keys.values()]);
  const tallies = new Map<Opened, Tally>();
  for (const one of opened) {
    const { matched, unmatched, duplicates, next_item: next } = one.receipt;
    const before =
      next === 0 ? { matched: 0, unmatched: 0, duplicates: 0 } : { matched, unmatched, duplicates };
    tallies.set(one, { ...before, taken: 0 });
  }
  const events: NewEvent[] = [];
  const unmatched = new Map<string, UnmatchedAccount>();
  for (const part of taken) {
    const tally = tallies.get(part.opened);
    if (tally === undefined) continue;
    tally.taken += 1;
    const { integration_id: integrationId } = part.opened.receipt;
    const name = nameOf(integrationId, part.keyHash);
    if (part.connections.length === 0) {
      tally.unmatched += 1;
      const account = unmatchedOf(part);
      if (account) unmatched.set(`${account.accountId} ${account.receiptId}`, account);
    } else if (seen.has(name)) tally.duplicates += 1;
    else {
      tally.matched += 1;
      if (!own.has(name)) events.push(...eventsOf(part));
      // A second one with the same key in this very transaction is a duplicate.
      seen.add(name);
    }
  }
  const results = opened.flatMap((one) => resultOf(one, tallies.get(one)) ?? []);
  return { events, results, unmatched: [...unmatched.values()] };
}

/** The first parts whose events one transaction takes; at least one. */
function limitEvents(parts: readonly Part[]): readonly Part[] {
  let events = 0;
  const end = parts.findIndex(({ connections }, index) => {
    events += connections.length;
    return index > 0 && events > EVENTS_MAX;
  });
  return end === -1 ? parts : parts.slice(0, end);
}

function unmatchedOf({ opened, item }: Part): UnmatchedAccount | undefined {
  const { receipt } = opened;
  const { accountId } = item;
  if (receipt.connection_id !== null || accountId === null || accountId.length > ACCOUNT_LENGTH_MAX)
    return undefined;
  return {
    integrationId: receipt.integration_id,
    accountId,
    receiptId: receipt.id,
    projectId: receipt.project_id,
    createdAt: receipt.created_at,
  };
}

function eventsOf({ opened, item, connections }: Part): NewEvent[] {
  return connections.map((connection) => ({
    type: item.type,
    source: 'webhook',
    integrationId: opened.receipt.integration_id,
    connectionId: connection.id,
    integrationUserId: connection.end_user_id,
    userId: connection.subject,
    object: item.object,
    dataText: item.dataText,
  }));
}

/** Undefined for a receipt of which nothing was taken on: it waits as it did. */
function resultOf(one: Opened, tally: Tally | undefined): SplitResult | undefined {
  const { receipt, total, reason } = one;
  if (tally === undefined || (tally.taken === 0 && one.items.length > 0)) return undefined;
  const { matched, unmatched, duplicates } = tally;
  const nextItem = receipt.next_item + tally.taken;
  return {
    id: receipt.id,
    createdAt: receipt.created_at,
    state: reason === null ? stateOf(tally) : 'rejected',
    reason,
    events: total,
    matched,
    unmatched,
    duplicates,
    nextItem,
    isDone: nextItem >= total,
  };
}

function stateOf({ matched, unmatched, duplicates }: Tally): SplitResult['state'] {
  if (matched > 0 || unmatched + duplicates === 0) return 'accepted';
  return unmatched > 0 ? 'unmatched' : 'duplicate';
}
