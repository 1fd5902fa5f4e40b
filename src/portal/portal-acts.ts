import type { RecordActivity } from '../activity/record.ts';
import { describeWithdrawal } from '../agent-sign-in/allow.ts';
import type { ConsentsStore } from '../agent-sign-in/consents.store.ts';
import type { UserSessions } from '../connect/sessions-of-users.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal, PrincipalOf } from '../http/principal.ts';
import { isUuid } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import { assertMayManage, listOwners } from '../projects/membership.ts';
import type { Texts } from './texts/en.ts';

type Person = PrincipalOf<['end_user']>;

export type PortalActsDependencies = {
  readonly db: Db;
  readonly connections: Pick<ConnectionsStore, 'find'>;
  readonly consents: Pick<ConsentsStore, 'find' | 'remove'>;
  readonly sessions: UserSessions;
  readonly recordActivity: RecordActivity;
  /** Erases the connection and revokes its grant at the provider. */
  disconnect(connection: Connection, actor: Principal): Promise<void>;
};

export const ACTS = ['remove', 'withdraw', 'reconnect', 'finish'] as const;
export type Act = (typeof ACTS)[number];

/** What came of it: a line on the page, or where the browser goes on. */
type Result = { readonly done: keyof Texts['done'] } | { readonly goTo: string };

/** What a person does on the page of their connections, with the rights of their link. */
export function createPortalActs(deps: PortalActsDependencies) {
  const { db } = deps;

  /** A connection that the person may end. Throws `connection_not_found`, `organization_role_missing`. */
  async function findOwn(person: Person, id: string): Promise<Connection> {
    const found = isUuid(id) ? await deps.connections.find(db, id, [person.projectId]) : undefined;
    if (found === undefined || !listOwners(person).includes(found.endUserId))
      throw new HttpError('connection_not_found');
    assertMayManage(person, found);
    return found;
  }

  async function withdraw(person: Person, id: string): Promise<void> {
    const found = isUuid(id) ? await deps.consents.find(db, id, [person.projectId]) : undefined;
    if (found?.endUserId !== person.endUserId) return;
    await db.transaction(async (trx) => {
      const ended = await deps.consents.remove(trx, found.id);
      if (ended !== undefined) await deps.recordActivity(trx, describeWithdrawal(ended, person));
    });
  }

  async function finish(person: Person, sessionId: string, code: string): Promise<Result> {
    if (!isUuid(sessionId) || code === '') return { done: 'failed' };
    try {
      await deps.sessions.complete(person, sessionId, code);
      return { done: 'connected' };
    } catch (error) {
      if (error instanceof HttpError && error.status < 500) return { done: 'failed' };
      throw error;
    }
  }

  return async (
    person: Person,
    {
      act,
      id,
      code,
      page,
    }: { readonly act: Act; readonly id: string; readonly code: string; readonly page: string },
  ): Promise<Result> => {
    if (act === 'finish') return finish(person, id, code);
    if (act === 'withdraw') {
      await withdraw(person, id);
      return { done: 'withdrawn' };
    }
    const connection = await findOwn(person, id);
    if (act === 'remove') {
      await deps.disconnect(connection, person);
      return { done: 'removed' };
    }
    const { serviceProvider: provider } = connection;
    const { url } = await deps.sessions.begin(person, { provider, connectionId: id, returnUrl: page });
    return { goTo: url };
  };
}
