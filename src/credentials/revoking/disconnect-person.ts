import type { Connection, Grant } from '../../connections/connection.ts';
import type { ConnectionsStore } from '../../connections/connections.store.ts';
import type { Principal } from '../../http/principal.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { createEnqueueRevocations, GrantOwner, Owner } from './enqueue-revocations.ts';
import { type Erased, noteUnasked } from './erasure-outcomes.store.ts';
import type { RevocationsStore } from './revocations.store.ts';

const PAGE_SIZE = 100;

/** Takes pending grants out of their sessions: of these connections, or all of an integration. */
export type TakePendingGrants = (
  trx: Db,
  owner: Owner & { readonly connectionIds?: readonly string[]; readonly endUserId?: string },
) => Promise<
  readonly (Pick<Required<GrantOwner>, 'connectionId' | 'endUserId' | 'organizationClientId'> & {
    readonly grant: Grant;
  })[]
>;

export type ErasedPerson = {
  readonly erasureId: string;
  readonly projectId: string;
  readonly endUserId: string;
};

/**
 * Erases these connections of an integration, or the first of them where the store has no time for all; `onErased` is called
 * in the same transaction.
 */
export type ErasePage = (
  owner: Owner,
  page: readonly Connection[],
  why: { readonly actor: Principal; readonly cause?: DeletionCause },
  onErased?: (trx: Db, erased: Erased) => Promise<void>,
) => Promise<void>;

export type DeletionCause = 'user_erased' | 'all_revoked';

/** Erases what one person holds at all integrations, and has the outcome of each revocation noted in the report. */
export function createDisconnectPerson(
  deps: Pick<ReturnType<typeof createEnqueueRevocations>, 'findRevokers' | 'enqueue'> & {
    readonly db: Db;
    readonly connections: Pick<ConnectionsStore, 'listToErase'>;
    readonly revocations: Pick<RevocationsStore, 'hidePerson'>;
    readonly takePendingGrants: TakePendingGrants;
    readonly erasePage: ErasePage;
    revokeSoon(): void;
  },
) {
  const { db } = deps;

  /**
   * Erases some of the connections. False where none are left. `beforeErasing` still finds them whole; `onErased` is called in
   * the transaction of those of one integration.
   */
  async function disconnectPageOfPerson(
    person: ErasedPerson,
    actor: Principal,
    hooks: {
      beforeErasing(page: readonly Connection[]): Promise<void>;
      onErased(trx: Db, gone: readonly Connection[]): Promise<void>;
    },
  ): Promise<boolean> {
    const { projectId, endUserId } = person;
    const page = await deps.connections.listToErase(db, { projectId, endUserId, limit: PAGE_SIZE });
    if (page.length === 0) return false;
    await hooks.beforeErasing(page);
    for (const [integrationId, group] of Map.groupBy(page, (connection) => connection.integrationId)) {
      const owner = { projectId, integrationId };
      await deps.erasePage(owner, group, { actor, cause: 'user_erased' }, async (trx, erased) => {
        const asked = await deps.revocations.hidePerson(trx, person);
        await noteUnasked(trx, { id: person.erasureId, projectId }, erased, asked);
        await hooks.onErased(trx, erased.gone);
      });
    }
    return true;
  }

  /** Revokes what the person has authorized and not completed. */
  async function revokePendingOfPerson(
    person: ErasedPerson,
    integrationIds: readonly string[],
  ): Promise<void> {
    const { projectId, endUserId } = person;
    for (const integrationId of integrationIds) {
      const owner = { projectId, integrationId };
      const revokers = await deps.findRevokers(owner, [{}]);
      await db.transaction(async (trx) => {
        const pending = await deps.takePendingGrants(trx, { ...owner, endUserId });
        await deps.enqueue(
          trx,
          revokers,
          pending.map(
            ({ grant, connectionId, organizationClientId }) =>
              [{ ...owner, connectionId, endUserId, organizationClientId }, grant] as const,
          ),
        );
      });
    }
    await db.transaction((trx) => deps.revocations.hidePerson(trx, person));
    deps.revokeSoon();
  }

  return { disconnectPageOfPerson, revokePendingOfPerson };
}
