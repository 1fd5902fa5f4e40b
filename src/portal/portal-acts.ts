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

/** Why an account was not connected, and which, for the page to say. */
type Failed = { readonly done: 'failed'; readonly why?: string; readonly of?: string };

/** What came of it: a line on the page, or where the browser goes on. */
export type PortalResult =
  | { readonly done: Exclude<keyof Texts['done'], 'failed'> }
  | Failed
  | { readonly goTo: string };

/** What a form of the page sends. */
type Sent = {
  readonly act: Act;
  /** Of the connection, of the consent, or of the connect session that has come back. */
  readonly id: string;
  readonly code: string;
  /** The error that came in the place of the code, and the connection that was to be connected again. */
  readonly error: string;
  readonly of: string;
};

/** What a person does on the page of their connections, with the rights of their link. */
export function createPortalActs(deps: PortalActsDependencies) {
  const { db } = deps;

  /** A connection that the person may end; undefined where it is none of theirs. Throws `organization_role_missing`. */
  async function findOwn(person: Person, id: string): Promise<Connection | undefined> {
    const found = isUuid(id) ? await deps.connections.find(db, id, [person.projectId]) : undefined;
    if (found === undefined || !listOwners(person).includes(found.endUserId)) return undefined;
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

  async function finish(person: Person, { id, code, error, of }: Sent): Promise<PortalResult> {
    if (!isUuid(id) || code === '') return { done: 'failed', why: error, of };
    return orFailed(of, async () => {
      await deps.sessions.complete(person, id, code);
      return { done: 'connected' };
    });
  }

  async function reconnect(
    person: Person,
    { id, serviceProvider: provider }: Connection,
    page: string,
  ): Promise<PortalResult> {
    const returnUrl = `${page}?of=${id}`;
    return orFailed(id, async () => {
      const { url } = await deps.sessions.begin(person, { provider, connectionId: id, returnUrl });
      return { goTo: url };
    });
  }

  return async (person: Person, sent: Sent & { readonly page: string }): Promise<PortalResult> => {
    const { act, id, page } = sent;
    if (act === 'finish') return finish(person, sent);
    if (act === 'withdraw') {
      await withdraw(person, id);
      return { done: 'withdrawn' };
    }
    const connection = await findOwn(person, id);
    if (act === 'reconnect')
      return connection === undefined ? { done: 'failed' } : reconnect(person, connection, page);
    // A second press, or another tab, finds that it is gone, or about to be.
    if (connection !== undefined) await deps.disconnect(connection, person).catch(unlessGone);
    return { done: 'removed' };
  };
}

function unlessGone(error: unknown): void {
  if (!(error instanceof HttpError && error.code === 'connection_not_found')) throw error;
}

async function orFailed(of: string, connect: () => Promise<PortalResult>): Promise<PortalResult> {
  try {
    return await connect();
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) return { done: 'failed', why: error.code, of };
    throw error;
  }
}
