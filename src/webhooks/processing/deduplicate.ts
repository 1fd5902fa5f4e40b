import type { NewEvent } from '../../events/stream/event.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { WebhookItem } from '../message/webhook.ts';
import {
  type EventKey,
  formatKeyName,
  type MatchedConnection,
  noteKeys,
  type ProcessingResult,
  type UnmatchedAccount,
  type WaitingReceipt,
} from './processing.store.ts';

/** Events of one transaction, beyond which no other item is taken on. */
const EVENTS_MAX = 2_000;
/** Characters of their payloads. */
const LENGTH_MAX = 8 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
/** Events are recognised for so long, or for as long as the provider repeats them. */
const KEY_DAYS = 8;
/** The longest name of an account that is looked for; longer ones belong to nobody. */
export const ACCOUNT_LENGTH_MAX = 500;

/** A receipt with its items from the next one on. */
export type OpenedReceipt = {
  readonly receipt: WaitingReceipt;
  readonly items: readonly WebhookItem[];
  readonly total: number;
  readonly reason: string | null;
  readonly retryHours: number;
};

/** One item and what is found out about it. */
export type MatchedItem = {
  readonly opened: OpenedReceipt;
  readonly item: WebhookItem;
  readonly connections: readonly MatchedConnection[];
  readonly keyHash: Buffer;
};

/** A change of an object of a connection, as a poll of the same objects might tell it, too. */
export type ObjectChange = {
  readonly connectionId: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly change: 'created' | 'updated' | 'deleted' | 'other';
  /** Null: the provider does not say. */
  readonly occurredAt: Date | null;
};

/** Answers the changes that polls have told already, and lets polls know of the others. */
export type SettleChanges = <Change extends ObjectChange>(
  trx: Db,
  changes: readonly Change[],
) => Promise<ReadonlySet<Change>>;

export type DeduplicateDeps = {
  readonly settleChanges: SettleChanges;
  now(): number;
};

export type Deduplicated = {
  readonly events: readonly NewEvent[];
  readonly results: readonly ProcessingResult[];
  readonly unmatched: readonly UnmatchedAccount[];
};

/**
 * Which items become events: those of a connection that no webhook and no poll has brought before. Only those that
 * belong to a connection are remembered as seen.
 */
export async function deduplicate(
  deps: DeduplicateDeps,
  trx: Db,
  opened: readonly OpenedReceipt[],
  parts: readonly MatchedItem[],
): Promise<Deduplicated> {
  const taken = limitEvents(parts);
  const { seen, own } = await noteKeys(trx, collectKeys(taken, deps.now()));
  const verdicts = taken.map((one) => ({ one, verdict: judgeItem(one, seen, own) }));
  const fresh = verdicts.flatMap(({ one, verdict }) => (verdict === 'new' ? listCandidates(one) : []));
  const changes = fresh.flatMap(({ change }) => change ?? []);
  const reportedByPoll = changes.length === 0 ? new Set() : await deps.settleChanges(trx, changes);
  const events = fresh.filter(({ change }) => change === undefined || !reportedByPoll.has(change));
  const partsWithEvents = new Set(events.map(({ one }) => one));
  const tallies = new Map(opened.map((one) => [one, resumeTally(one)]));
  const unmatched = new Map<string, UnmatchedAccount>();
  for (const { one, verdict } of verdicts) {
    const tally = tallies.get(one.opened);
    if (tally === undefined) continue;
    tally.taken += 1;
    const isReported = verdict === 'new' && !partsWithEvents.has(one);
    tally[isReported ? 'duplicates' : TALLIED[verdict]] += 1;
    const account = verdict === 'unmatched' ? toUnmatchedAccount(one) : undefined;
    if (account) unmatched.set(`${account.accountId} ${account.receiptId}`, account);
  }
  return {
    events: events.map(toEvent),
    results: opened.flatMap((one) => toResult(one, tallies.get(one)) ?? []),
    unmatched: [...unmatched.values()],
  };
}

/** `own`: this receipt has brought it before. */
type Verdict = 'new' | 'own' | 'seen' | 'unmatched';
const TALLIED = { new: 'matched', own: 'matched', seen: 'duplicates', unmatched: 'unmatched' } as const;

type Tally = { matched: number; unmatched: number; duplicates: number; taken: number };

/** Counts go on where an earlier transaction has stopped. */
function resumeTally({ receipt }: OpenedReceipt): Tally {
  if (receipt.next_item === 0) return { matched: 0, unmatched: 0, duplicates: 0, taken: 0 };
  const { matched, unmatched, duplicates } = receipt;
  return { matched, unmatched, duplicates, taken: 0 };
}

/** The first parts whose events one transaction takes; at least one. */
function limitEvents(parts: readonly MatchedItem[]): readonly MatchedItem[] {
  let events = 0;
  let length = 0;
  const end = parts.findIndex(({ connections, item }, index) => {
    events += connections.length;
    length += connections.length * item.dataText.length;
    return index > 0 && (events > EVENTS_MAX || length > LENGTH_MAX);
  });
  return end === -1 ? parts : parts.slice(0, end);
}

const formatItemKey = ({ opened, keyHash }: MatchedItem) =>
  formatKeyName(opened.receipt.integration_id, keyHash);

function collectKeys(parts: readonly MatchedItem[], nowMs: number): EventKey[] {
  const keys = new Map<string, EventKey>();
  for (const one of parts) {
    const { opened, connections, keyHash } = one;
    const name = formatItemKey(one);
    if (connections.length === 0 || keys.has(name)) continue;
    const { integration_id: integrationId, id: receiptId } = opened.receipt;
    const days = Math.max(KEY_DAYS, opened.retryHours / 24);
    keys.set(name, { integrationId, keyHash, receiptId, expiresAt: new Date(nowMs + days * DAY_MS) });
  }
  return [...keys.values()];
}

/** A second one with the same key in this very transaction is a duplicate: `seen` grows. */
function judgeItem(one: MatchedItem, seen: Set<string>, own: ReadonlySet<string>): Verdict {
  if (one.connections.length === 0) return 'unmatched';
  const name = formatItemKey(one);
  if (seen.has(name)) return 'seen';
  seen.add(name);
  return own.has(name) ? 'own' : 'new';
}

/** An event of a connection that may be. `change` where it is one of an object. */
type Candidate = {
  readonly one: MatchedItem;
  readonly connection: MatchedConnection;
  readonly change: ObjectChange | undefined;
};

function listCandidates(one: MatchedItem): Candidate[] {
  const { object, occurredAt } = one.item;
  return one.connections.map((connection) => ({
    one,
    connection,
    change: object && {
      connectionId: connection.id,
      objectType: object.type,
      objectId: object.id,
      change: object.change,
      occurredAt,
    },
  }));
}

function toEvent({ one: { opened, item }, connection }: Candidate): NewEvent {
  return {
    type: item.type,
    source: 'webhook',
    integrationId: opened.receipt.integration_id,
    connectionId: connection.id,
    integrationUserId: connection.end_user_id,
    userId: connection.subject,
    object: item.object,
    dataText: item.dataText,
  };
}

function toUnmatchedAccount({ opened, item }: MatchedItem): UnmatchedAccount | undefined {
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

/** Undefined for a receipt of which nothing was taken on: it waits as it did. */
function toResult(one: OpenedReceipt, tally: Tally | undefined): ProcessingResult | undefined {
  const { receipt, total, reason } = one;
  if (tally === undefined || (tally.taken === 0 && one.items.length > 0)) return undefined;
  const { matched, unmatched, duplicates } = tally;
  const nextItem = receipt.next_item + tally.taken;
  return {
    id: receipt.id,
    createdAt: receipt.created_at,
    state: reason === null ? chooseState(tally) : 'rejected',
    reason,
    events: total,
    matched,
    unmatched,
    duplicates,
    nextItem,
    isDone: nextItem >= total,
  };
}

function chooseState({ matched, unmatched, duplicates }: Tally): ProcessingResult['state'] {
  if (matched > 0 || unmatched + duplicates === 0) return 'accepted';
  return unmatched > 0 ? 'unmatched' : 'duplicate';
}
