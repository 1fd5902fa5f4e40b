import type { Change } from '../../activity/actions.ts';
import type { RecordActivity } from '../../activity/record.ts';
import type { Connection, Grant } from '../../connections/connection.ts';
import type { ConnectionsStore } from '../../connections/connections.store.ts';
import { HttpError } from '../../http/errors.ts';
import type { Principal } from '../../http/principal.ts';
import type { Integration } from '../../integrations/integration.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { createFittingBatch } from '../../platform/postgres/fitting-batch.ts';
import type { IntegrationClient } from '../client/integration-client.ts';
import {
  createDisconnectPerson,
  type DeletionCause,
  type ErasePage,
  type TakePendingGrants,
} from './disconnect-person.ts';
import {
  createEnqueueRevocations,
  type GrantOwner,
  type Owner,
  type Revokers,
} from './enqueue-revocations.ts';
import type { Erased } from './erasure-outcomes.store.ts';
import type { RevocationsStore } from './revocations.store.ts';

const PAGE_SIZE = 100;

export type Disconnecting = ReturnType<typeof createDisconnecting>;

/**
 * Erases connections and pending grants, and leaves their revocation at the provider to the background: what is erased
 * and what is to be revoked commit together.
 */
export function createDisconnecting(deps: {
  db: Db;
  client: IntegrationClient;
  connections: ConnectionsStore;
  revocations: RevocationsStore;
  takePendingGrants: TakePendingGrants;
  recordActivity: RecordActivity;
  /** Called after a commit that left something to revoke. */
  revokeSoon(): void;
  log: { warn(fields: object, message: string): void };
}) {
  const { db, connections, log } = deps;
  const { findRevokers, enqueue } = createEnqueueRevocations(deps);
  const takeFitting = createFittingBatch(PAGE_SIZE);

  /** Erases connections of one integration, and answers those that another request had not erased before. */
  async function erase(
    trx: Db,
    owner: Owner,
    page: readonly Connection[],
    revokers: Revokers,
    actor: Principal,
    cause?: DeletionCause,
  ): Promise<Erased> {
    const connectionIds = page.map(({ id }) => id);
    const pending = await deps.takePendingGrants(trx, { ...owner, connectionIds });
    const removed = await connections.remove(trx, connectionIds, owner.projectId);
    const gone = page.flatMap((connection) => {
      const row = removed.get(connection.id);
      return row === undefined ? [] : [{ ...connection, version: row.version, status: row.status }];
    });
    await deps.recordActivity(
      trx,
      gone.map((connection) =>
        deletionOf(connection, removed.get(connection.id)?.credentials === null, actor, cause),
      ),
    );
    const held = gone.flatMap((connection) => {
      const { id, endUserId } = connection;
      const { credentials, organizationClientId = null } = removed.get(id) ?? {};
      if (credentials)
        return [
          [
            { ...owner, connectionId: id, endUserId, organizationClientId },
            { ...connection, credentials },
          ] as const,
        ];
      log.warn({ connectionId: id }, 'credentials cannot be unsealed: erased unrevoked');
      return [];
    });
    const waiting = pending.map(({ grant, ...of }) => [{ ...owner, ...of }, grant] as const);
    await enqueue(trx, revokers, [...held, ...waiting]);
    return { gone, unreadable: gone.length - held.length };
  }

  /**
   * Erases a connection with the grant that it holds just then (a refresh under way finds its row gone and
   * revokes what it got), and those that a re-authorization brought and its user has not completed. `assertVersion` may
   * refuse the version that is erased: then all stays.
   */
  async function disconnect(
    connection: Connection,
    actor: Principal,
    assertVersion: (version: number) => void = () => undefined,
  ): Promise<void> {
    const { projectId, integrationId } = connection;
    await erasePage({ projectId, integrationId }, [connection], { actor }, async (_trx, { gone }) => {
      const [erased] = gone;
      if (erased === undefined) throw new HttpError('connection_not_found');
      if (!isRefusedSince(connection, erased)) assertVersion(erased.version);
    });
  }

  /** Erases some connections of an integration. False where none are left. */
  async function disconnectPage(owner: Owner, actor: Principal): Promise<boolean> {
    const page = await connections.listToErase(db, { ...owner, limit: PAGE_SIZE });
    if (page.length === 0) return false;
    await erasePage(owner, page, { actor });
    return true;
  }

  const erasePage: ErasePage = async (owner, page, { actor, cause }, onErased) => {
    const revokers = await findRevokers(owner, page);
    await takeFitting(page, (batch) =>
      db.transaction(async (trx) => {
        const erased = await erase(trx, owner, batch, revokers, actor, cause);
        await onErased?.(trx, erased);
      }),
    );
    deps.revokeSoon();
  };

  /** Revokes what an integration's users have authorized and not completed; `onEnqueued` is called in the same transaction. */
  async function enqueuePending(owner: Owner, onEnqueued: (trx: Db) => Promise<unknown>): Promise<void> {
    const revokers = await findRevokers(owner, [{}]);
    await db.transaction(async (trx) => {
      const pending = await deps.takePendingGrants(trx, owner);
      const waiting = pending.map(
        ({ grant, endUserId, organizationClientId }) =>
          [{ ...owner, connectionId: null, endUserId, organizationClientId }, grant] as const,
      );
      await enqueue(trx, revokers, waiting);
      await onEnqueued(trx);
    });
    deps.revokeSoon();
  }

  /** Revokes what an integration's users have authorized and not completed. */
  async function revokePending({ id: integrationId, projectId }: Integration): Promise<void> {
    await enqueuePending({ projectId, integrationId }, async () => undefined);
  }

  /** Revokes tokens that no connection holds: of a grant that was refused, abandoned or overtaken. */
  async function revokeGrant(
    owner: Omit<GrantOwner, 'connectionId'> & { readonly connectionId?: string | null },
    grant: Pick<Grant, 'credentials' | 'variables'> & Partial<Pick<Grant, 'accountId' | 'accountName'>>,
    trx: Db = db,
  ): Promise<void> {
    const revokers = await findRevokers(owner, [owner]);
    const { connectionId = null } = owner;
    const { accountId = null, accountName = null } = grant;
    await enqueue(trx, revokers, [
      [
        { ...owner, connectionId },
        { ...grant, accountId, accountName },
      ],
    ]);
    deps.revokeSoon();
  }

  const { disconnectPageOfPerson, revokePendingOfPerson } = createDisconnectPerson({
    ...deps,
    findRevokers,
    enqueue,
    erasePage,
  });
  return {
    ...{ disconnect, disconnectPage, erasePage, enqueuePending, revokePending, revokeGrant },
    ...{ disconnectPageOfPerson, revokePendingOfPerson, hidePerson: deps.revocations.hidePerson },
  };
}

function deletionOf(
  { id, projectId, integrationId, endUserId }: Connection,
  isUnrevoked: boolean,
  actor: Principal,
  cause: DeletionCause | undefined,
): Change {
  return {
    projectId,
    actor,
    action: 'connection.deleted',
    subjectId: id,
    details: {
      integrationId,
      integrationUserId: endUserId,
      ...(isUnrevoked && { unrevoked: 'credentials_unreadable' }),
      ...(cause && { cause }),
    },
  };
}

/** Removing webhooks may ask for a new access token, and hear that the grant is dead: no caller has changed anything by that. */
function isRefusedSince(before: Connection, now: Connection): boolean {
  const isOneChange = now.version === before.version + 1;
  return isOneChange && before.status === 'active' && now.status === 'reauthorization_required';
}
