import type { RecordActivity } from '../activity/record.ts';
import type { Connection, Grant } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import type { Tags } from '../lib/tags.schema.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { ConnectSession } from './connect-session.ts';
import { joinTags } from './join-tags.ts';
import { type Placement, placeGrant } from './place-grant.ts';

/** More connections of one user on one integration than any account list needs. */
const EXISTING_MAX = 200;

/** Turns a grant into a connection inside the given transaction and answers its id. Throws account_mismatch. */
export type FinishGrant = (
  trx: Db,
  session: ConnectSession,
  grant: Grant,
  actor: Principal | { kind: 'gateway' },
) => Promise<string>;

export function createFinishGrant(deps: {
  connections: ConnectionsStore;
  recordActivity: RecordActivity;
  lockEndUser(trx: Db, projectId: string, endUserId: string): Promise<void>;
  /** Claims of user tokens that the project makes tags of. */
  findTagClaims(trx: Db, projectId: string): Promise<readonly string[]>;
}): FinishGrant {
  return async (trx, session, grant, actor) => {
    const { projectId, endUserId, integrationId } = session;
    if (integrationId === null) throw new HttpError('integration_not_found');
    // Two popups of one user that end at the same time take turns, so that one account never gets two connections.
    await deps.lockEndUser(trx, projectId, endUserId);
    const mayLackClaims = session.madeByKind === 'end_user' && Object.keys(session.tags).length > 0;
    const claimed = mayLackClaims ? await deps.findTagClaims(trx, projectId) : [];
    const { connectionId, isNew } = await place(
      deps.connections,
      trx,
      { ...session, integrationId },
      { grant, claimed },
    );
    await deps.recordActivity(trx, {
      projectId,
      actor,
      action: isNew ? 'connection.created' : 'connection.reauthorized',
      subjectId: connectionId,
      details: {
        integrationId,
        integrationUserId: endUserId,
        ...(session.personId !== null && session.personId !== endUserId && { connectedBy: session.personId }),
        connectSessionId: session.id,
        completion: session.completion,
      },
    });
    return connectionId;
  };
}

/** Stores the grant where it belongs, and looks again where the connection that it belonged to is deleted meanwhile. */
async function place(
  connections: ConnectionsStore,
  trx: Db,
  session: ConnectSession & { integrationId: string },
  { grant, claimed }: { readonly grant: Grant; readonly claimed: readonly string[] },
): Promise<{ connectionId: string; isNew: boolean }> {
  const isForOther = session.personId !== null && session.personId !== session.endUserId;
  const by = {
    organizationClientId: session.organizationClientId,
    connectedBy: isForOther ? session.personId : null,
  };
  for (;;) {
    const existing = await existingConnections(connections, trx, session);
    const placement = placeGrant(existing, grant, session);
    if (placement.kind === 'mismatch') throw new HttpError('account_mismatch');
    if (placement.kind === 'insert')
      return { connectionId: await connections.insert(trx, { ...session, ...by }, grant), isNew: true };
    const { connectionId } = placement;
    const before = existing.find(({ id }) => id === connectionId)?.tags ?? {};
    const tags = replaceTags(before, session.tags, claimed);
    if (await connections.replaceGrant(trx, connectionId, session.projectId, grant, { ...by, tags }))
      return { connectionId, isNew: false };
  }
}

/**
 * The session's tags instead of those before, of which tags from claims stay: a token without the claim takes none away.
 * Undefined where all stay as they are.
 */
function replaceTags(before: Tags, given: Tags, claimed: readonly string[]): Tags | undefined {
  if (Object.keys(given).length === 0) return undefined;
  const kept = Object.fromEntries(Object.entries(before).filter(([name]) => claimed.includes(name)));
  return joinTags(kept, given);
}

/** Where this grant would go, judged by the connections that its user has now. */
export async function findPlacement(
  connections: ConnectionsStore,
  db: Db,
  session: ConnectSession,
  grant: Pick<Grant, 'accountId' | 'tenantId'>,
): Promise<Placement> {
  return placeGrant(await existingConnections(connections, db, session), grant, session);
}

/** The connections that the session's user has on its integration. */
export function existingConnections(
  connections: ConnectionsStore,
  db: Db,
  { projectId, endUserId, integrationId }: ConnectSession,
): Promise<Connection[]> {
  return connections.list(db, {
    projectIds: [projectId],
    endUserIds: [endUserId],
    integrationId: integrationId ?? undefined,
    limit: EXISTING_MAX,
  });
}
