import type { NewEvent } from '../../events/stream/event.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { isMatchable, type MatchedItem, type OpenedReceipt } from './match-items.ts';
import {
  type EventKey,
  formatKeyName,
  type MatchedConnection,
  noteKeys,
  type ProcessingResult,
} from './processing.store.ts';
import type { UnmatchedAccount } from './unmatched.store.ts';

/** Events of one transaction, beyond which no other item is taken on. */
const EVENTS_MAX = 2_000;
/** Characters of their payloads. */
const LENGTH_MAX = 8 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
/** Events are recognised for so long, or for as long as the provider repeats them. */
const KEY_DAYS = 8;

/** A change of an object of a connection, which a poll of the same objects may report, too. */
export type ObjectChange = {
  readonly connectionId: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly change: 'created' | 'updated' | 'deleted' | 'other';
  /** Null: the provider does not say. */
  readonly occurredAt: Date | null;
};

/** Answers the changes that polls have reported already, and lets polls know of the others. */
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
  matched: readonly MatchedItem[],
): Promise<Deduplicated> {
  const taken = limitEvents(matched);
  const { seen, own } = await noteKeys(trx, collectKeys(taken, deps.now()));
  const judged = taken.map((given) => ({ given, verdict: judgeItem(given, seen, own) }));
  const candidates = judged.flatMap(({ given, verdict }) => (verdict === 'new' ? listCandidates(given) : []));
  const changes = candidates.flatMap(({ change }) => change ?? []);
  const reportedByPoll = changes.length === 0 ? new Set() : await deps.settleChanges(trx, changes);
  const fresh = candidates.filter(({ change }) => change === undefined || !reportedByPoll.has(change));
  const tallies = tally(opened, judged, new Set(fresh.map(({ given }) => given)));
  return {
    events: fresh.map(toEvent),
    results: opened.flatMap((one) => toResult(one, tallies.get(one)) ?? []),
    unmatched: listUnmatched(judged),
  };
}

/** `own`: this receipt has brought it before. */
type Verdict = 'new' | 'own' | 'seen' | 'unmatched';
const TALLIED = { new: 'matched', own: 'matched', seen: 'duplicates', unmatched: 'unmatched' } as const;

type JudgedItem = { readonly given: MatchedItem; readonly verdict: Verdict };

type Tally = { matched: number; unmatched: number; duplicates: number; taken: number };

/** What became of the items of each receipt. A new item without an event is one that polls had reported. */
function tally(
  opened: readonly OpenedReceipt[],
  judged: readonly JudgedItem[],
  withEvents: ReadonlySet<MatchedItem>,
): ReadonlyMap<OpenedReceipt, Tally> {
  const tallies = new Map(opened.map((one) => [one, resumeTally(one)]));
  for (const { given, verdict } of judged) {
    const counts = tallies.get(given.opened);
    if (counts === undefined) continue;
    const isReported = verdict === 'new' && !withEvents.has(given);
    counts.taken += 1;
    counts[isReported ? 'duplicates' : TALLIED[verdict]] += 1;
  }
  return tallies;
}

/** Counts go on where an earlier transaction has stopped. */
function resumeTally({ receipt }: OpenedReceipt): Tally {
  if (receipt.next_item === 0) return { matched: 0, unmatched: 0, duplicates: 0, taken: 0 };
  const { matched, unmatched, duplicates } = receipt;
  return { matched, unmatched, duplicates, taken: 0 };
}

/** The first items whose events one transaction takes; at least one. */
function limitEvents(matched: readonly MatchedItem[]): readonly MatchedItem[] {
  let events = 0;
  let length = 0;
  const end = matched.findIndex(({ connections, item }, index) => {
    events += connections.length;
    length += connections.length * item.dataText.length;
    return index > 0 && (events > EVENTS_MAX || length > LENGTH_MAX);
  });
  return end === -1 ? matched : matched.slice(0, end);
}

function formatItemKey({ opened, keyHash }: MatchedItem): string {
  return formatKeyName(opened.receipt.integration_id, keyHash);
}

/** The keys of items that belong to a connection, each once. */
function collectKeys(matched: readonly MatchedItem[], nowMs: number): EventKey[] {
  const keys = new Map<string, EventKey>();
  for (const given of matched) {
    const { opened, connections, keyHash } = given;
    const name = formatItemKey(given);
    if (connections.length === 0 || keys.has(name)) continue;
    const { integration_id: integrationId, id: receiptId } = opened.receipt;
    const days = Math.max(KEY_DAYS, opened.retryHours / 24);
    keys.set(name, { integrationId, keyHash, receiptId, expiresAt: new Date(nowMs + days * DAY_MS) });
  }
  return [...keys.values()];
}

/** A second item with the same key in this very transaction is a duplicate: `seen` grows. */
function judgeItem(given: MatchedItem, seen: Set<string>, own: ReadonlySet<string>): Verdict {
  if (given.connections.length === 0) return 'unmatched';
  const name = formatItemKey(given);
  if (seen.has(name)) return 'seen';
  seen.add(name);
  return own.has(name) ? 'own' : 'new';
}

/** An event of a connection that may be. `change` where it is one of an object. */
type Candidate = {
  readonly given: MatchedItem;
  readonly connection: MatchedConnection;
  readonly change: ObjectChange | undefined;
};

function listCandidates(given: MatchedItem): Candidate[] {
  const { object, occurredAt } = given.item;
  return given.connections.map((connection) => ({
    given,
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

function toEvent({ given: { opened, item }, connection }: Candidate): NewEvent {
  return {
    type: item.type,
    source: 'webhook',
    integrationId: opened.receipt.integration_id,
    connectionId: connection.id,
    integrationUserId: connection.end_user_id,
    userId: connection.subject,
    organization: connection.organization,
    object: item.object,
    dataText: item.dataText,
  };
}

/** The accounts without a connection, each once for a receipt. */
function listUnmatched(judged: readonly JudgedItem[]): UnmatchedAccount[] {
  const unmatched = new Map<string, UnmatchedAccount>();
  for (const { given, verdict } of judged) {
    const account = verdict === 'unmatched' ? toUnmatchedAccount(given) : undefined;
    if (account) unmatched.set(`${account.accountId} ${account.receiptId}`, account);
  }
  return [...unmatched.values()];
}

function toUnmatchedAccount({ opened: { receipt }, item }: MatchedItem): UnmatchedAccount | undefined {
  const { accountId } = item;
  if (receipt.connection_id !== null || !isMatchable(accountId)) return undefined;
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
