import type { Connection } from '../connections/connection.ts';
import type { Disconnecting } from '../credentials/revoking/disconnecting.ts';
import type { Principal } from '../http/principal.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Pseudonyms } from '../platform/pseudonyms.ts';
import type { WaitingReceipt } from '../webhooks/processing/processing.store.ts';
import { countErased } from './erasures.store.ts';
import type { ErasedKind } from './person.ts';
import {
  deleteConnectSessions,
  deleteEndUser,
  deletePollRecords,
  listIntegrationsWithPending,
  listRegistered,
  noteErasedConnections,
} from './person-rows.store.ts';
import { walkReceipts } from './receipts-walk.store.ts';
import { walkStoredReplies } from './stored-replies.store.ts';
import { type ErasedPersonFacts, findPosition, WALK_BEGINNINGS, WALKS, walkTable } from './walks.store.ts';

/** The steps that erase something, in their order. */
export const ERASING_PHASES = [
  'connections',
  'sessions',
  'activity',
  'events',
  'event_outbox',
  'deliveries',
  'recent_calls',
  'webhook_receipts',
  'idempotency_keys',
  'user',
] as const;
export type ErasingPhase = (typeof ERASING_PHASES)[number];

/** The next one begins at `walked`; `over`: nothing is left; `again`: connections have come since. */
export type PageEnd = { readonly walked: string } | 'over' | 'again';

export type ErasePagesDependencies = {
  readonly db: Db;
  readonly pseudonyms: Pick<Pseudonyms, 'findOrCreate'>;
  readonly disconnecting: Pick<Disconnecting, 'disconnectPageOfPerson' | 'revokePendingOfPerson'>;
  /** Removes what was registered at the provider. Never rejects. */
  removeWebhooks(owner: { connectionId: string }): Promise<void>;
  readAccounts(receipt: WaitingReceipt): Promise<readonly string[]>;
  openReply(sealed: string, rowId: string): string;
};

type From = {
  readonly walked: string | null;
  /** Rows of before have been seen; null: none have. */
  readonly since: Date | null;
  readonly actor: Principal;
};

/** Erases a page of what a person has in one phase. Each page may be repeated. */
export function createErasePages(deps: ErasePagesDependencies) {
  const { db, disconnecting } = deps;
  const makePseudonyms = (projectId: string) =>
    db.transaction((trx) => deps.pseudonyms.findOrCreate(trx, projectId));

  async function eraseConnections(person: ErasedPersonFacts, { actor }: From): Promise<PageEnd> {
    const pseudonymize = await makePseudonyms(person.projectId);
    const hasErased = await disconnecting.disconnectPageOfPerson(person, actor, {
      beforeErasing: (page) => endBesides(person, page),
      async onErased(trx, gone) {
        await noteErasedConnections(trx, person, gone, pseudonymize);
        await countErased(trx, person.erasureId, 'connections', gone.length);
      },
    });
    return hasErased ? { walked: '' } : 'over';
  }

  /** What could not be found any more without the connections. */
  async function endBesides({ erasureId }: ErasedPersonFacts, page: readonly Connection[]): Promise<void> {
    const ids = page.map(({ id }) => id);
    const registered = await listRegistered(db, ids);
    await Promise.all(registered.map((connectionId) => deps.removeWebhooks({ connectionId })));
    await countErased(db, erasureId, 'pollRecords', await deletePollRecords(db, ids));
  }

  async function eraseSessions(person: ErasedPersonFacts): Promise<PageEnd> {
    await disconnecting.revokePendingOfPerson(person, await listIntegrationsWithPending(db, person));
    await countErased(db, person.erasureId, 'connectSessions', await deleteConnectSessions(db, person));
    return 'over';
  }

  /** A step of a walk with what it counts, in one transaction. */
  async function walk(
    person: ErasedPersonFacts,
    kind: ErasedKind,
    take: (trx: Db) => Promise<{ readonly last: string | null; readonly count: number }>,
  ): Promise<PageEnd> {
    return db.transaction(async (trx) => {
      const { last, count } = await take(trx);
      await countErased(trx, person.erasureId, kind, count);
      return last === null ? 'over' : { walked: last };
    });
  }

  async function eraseUser(person: ErasedPersonFacts): Promise<PageEnd> {
    return (await db.transaction((trx) => deleteEndUser(trx, person))) ? 'over' : 'again';
  }

  return async (phase: ErasingPhase, person: ErasedPersonFacts, from: From): Promise<PageEnd> => {
    if (phase === 'connections') return eraseConnections(person, from);
    if (phase === 'sessions') return eraseSessions(person);
    if (phase === 'user') return eraseUser(person);
    if (phase === 'idempotency_keys')
      return walk(person, 'storedReplies', (trx) =>
        walkStoredReplies(trx, person, from.walked ?? '', deps.openReply),
      );
    const beginning = from.walked ?? WALK_BEGINNINGS.uuid;
    if (phase === 'webhook_receipts') {
      const tools = { ...deps, pseudonymize: await makePseudonyms(person.projectId) };
      return walk(person, 'webhookReceipts', (trx) => walkReceipts(trx, person, beginning, tools));
    }
    const { kind, type } = WALKS[phase];
    return walk(person, kind, async (trx) => {
      const known = from.walked ?? (phase === 'events' ? await findPosition(trx, person, from.since) : null);
      return walkTable(trx, phase, person, known ?? WALK_BEGINNINGS[type]);
    });
  };
}
