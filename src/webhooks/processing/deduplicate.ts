import type { NewEvent } from '../../events/stream/event.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { WebhookItem } from '../message/webhook.ts';
import {
  type EventKey,
  type MatchedConnection,
  nameOf,
  noteKeys,
  type SplitResult,
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
export type Opened = {
  readonly receipt: WaitingReceipt;
  readonly items: readonly WebhookItem[];
  readonly total: number;
  readonly reason: string | null;
  readonly retryHours: number;
};

/** One item and what is found out about it. */
export type Part = {
  readonly opened: Opened;
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

export type Judging = {
  readonly settleChanges: SettleChanges;
  now(): number;
};

export type Judged = {
  readonly events: readonly NewEvent[];
  readonly results: readonly SplitResult[];
  readonly unmatched: readonly UnmatchedAccount[];
};

/**
 * Which items become events: those of a connection that no webhook and no poll has brought before. Only those that
 * belong to a connection are remembered as seen.
 */
export async function judgeItems(
  judging: Judging,
  trx: Db,
  opened: readonly Opened[],
  parts: readonly Part[],
): Promise<Judged> {
  const taken = limitEvents(parts);
  const { seen, own } = await noteKeys(trx, keysOf(taken, judging.now()));
  const verdicts = taken.map((part) => ({ part, verdict: verdictOf(part, seen, own) }));
  const fresh = verdicts.flatMap(({ part, verdict }) => (verdict === 'new' ? candidatesOf(part) : []));
  const changes = fresh.flatMap(({ change }) => change ?? []);
  const toldByPoll = changes.length === 0 ? new Set() : await judging.settleChanges(trx, changes);
  const events = fresh.filter(({ change }) => change === undefined || !toldByPoll.has(change));
  const partsWithEvents = new Set(events.map(({ part }) => part));
  const tallies = new Map(opened.map((one) => [one, tallyBefore(one)]));
  const unmatched = new Map<string, UnmatchedAccount>();
  for (const { part, verdict } of verdicts) {
    const tally = tallies.get(part.opened);
    if (tally === undefined) continue;
    tally.taken += 1;
    const isTold = verdict === 'new' && !partsWithEvents.has(part);
    tally[isTold ? 'duplicates' : TALLIED[verdict]] += 1;
    const account = verdict === 'unmatched' ? unmatchedOf(part) : undefined;
    if (account) unmatched.set(`${account.accountId} ${account.receiptId}`, account);
  }
  return {
    events: events.map(eventOf),
    results: opened.flatMap((one) => resultOf(one, tallies.get(one)) ?? []),
    unmatched: [...unmatched.values()],
  };
}

/** `own`: this receipt has brought it before. */
type Verdict = 'new' | 'own' | 'seen' | 'unmatched';
const TALLIED = { new: 'matched', own: 'matched', seen: 'duplicates', unmatched: 'unmatched' } as const;

type Tally = { matched: number; unmatched: number; duplicates: number; taken: number };

/** Counts go on where an earlier transaction has stopped. */
function tallyBefore({ receipt }: Opened): Tally {
  if (receipt.next_item === 0) return { matched: 0, unmatched: 0, duplicates: 0, taken: 0 };
  const { matched, unmatched, duplicates } = receipt;
  return { matched, unmatched, duplicates, taken: 0 };
}

/** The first parts whose events one transaction takes; at least one. */
function limitEvents(parts: readonly Part[]): readonly Part[] {
  let events = 0;
  let length = 0;
  const end = parts.findIndex(({ connections, item }, index) => {
    events += connections.length;
    length += connections.length * item.dataText.length;
    return index > 0 && (events > EVENTS_MAX || length > LENGTH_MAX);
  });
  return end === -1 ? parts : parts.slice(0, end);
}

const nameOfPart = ({ opened, keyHash }: Part) => nameOf(opened.receipt.integration_id, keyHash);

function keysOf(parts: readonly Part[], nowMs: number): EventKey[] {
  const keys = new Map<string, EventKey>();
  for (const part of parts) {
    const { opened, connections, keyHash } = part;
    const name = nameOfPart(part);
    if (connections.length === 0 || keys.has(name)) continue;
    const { integration_id: integrationId, id: receiptId } = opened.receipt;
    const days = Math.max(KEY_DAYS, opened.retryHours / 24);
    keys.set(name, { integrationId, keyHash, receiptId, expiresAt: new Date(nowMs + days * DAY_MS) });
  }
  return [...keys.values()];
}

/** A second one with the same key in this very transaction is a duplicate: `seen` grows. */
function verdictOf(part: Part, seen: Set<string>, own: ReadonlySet<string>): Verdict {
  if (part.connections.length === 0) return 'unmatched';
  const name = nameOfPart(part);
  if (seen.has(name)) return 'seen';
  seen.add(name);
  return own.has(name) ? 'own' : 'new';
}

/** An event of a connection that may be. `change` where it is one of an object. */
type Candidate = {
  readonly part: Part;
  readonly connection: MatchedConnection;
  readonly change: ObjectChange | undefined;
};

function candidatesOf(part: Part): Candidate[] {
  const { object, occurredAt } = part.item;
  return part.connections.map((connection) => ({
    part,
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

function eventOf({ part: { opened, item }, connection }: Candidate): NewEvent {
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
