import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { ConnectSession } from './connect-session.ts';
import { matchesCode, mayComplete } from './connect-session-rules.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import type { FinishGrant } from './finish-grant.ts';

export type CompleteSession = (
  trx: Db,
  completion: {
    readonly principal: Principal;
    readonly sessionId: string;
    readonly projectIds: readonly string[];
    readonly completionCode: string;
    /** True for a door of the gateway whose callers repeat requests without an `Idempotency-Key`, such as MCP clients. */
    readonly answersAgain?: boolean;
  },
) => Promise<string>;

type Dependencies = {
  readonly sessions: Pick<ConnectSessionsStore, 'lock' | 'takePending' | 'keepResult'>;
  readonly finishGrant: FinishGrant;
};

/**
 * Makes the connection of a session whose user has authorized, and answers its id: the code of the closing page together
 * with a credential of the same user. The code counts once; where `answersAgain`, the same code answers the same id.
 */
export function createCompleteSession({ sessions, finishGrant }: Dependencies): CompleteSession {
  return async (trx, completion) => {
    const session = await claim(sessions, trx, completion);
    if (session.resultConnectionId !== null) return session.resultConnectionId;
    const grant = await sessions.takePending(trx, session);
    if (grant === undefined) throw new HttpError('session_used');
    const id = await finishGrant(trx, session, grant, completion.principal);
    await sessions.keepResult(trx, session, id);
    return id;
  };
}

/**
 * The locked session, if this principal may complete it with this code now, or, where that is answered again, has
 * completed it with this very code before: the answer may have been lost on its way.
 */
async function claim(
  sessions: Dependencies['sessions'],
  trx: Db,
  { principal, sessionId, projectIds, completionCode, answersAgain = false }: Parameters<CompleteSession>[1],
): Promise<ConnectSession> {
  const projectId = principal.kind === 'operator' ? undefined : principal.projectId;
  for (const candidate of projectId === undefined ? projectIds : [projectId]) {
    const locked = await sessions.lock(trx, sessionId, candidate);
    if (locked === undefined) continue;
    if (!mayComplete(principal, locked.session, locked.makerLineageId)) break;
    const isRepeated =
      locked.session.resultConnectionId !== null && matchesCode(locked.completionCodeHash, completionCode);
    if (isRepeated && answersAgain) return locked.session;
    if (locked.session.state === 'completed' || locked.session.state === 'failed') {
      throw new HttpError(locked.isExpired ? 'session_expired' : 'session_used');
    }
    if (locked.isExpired) throw new HttpError('session_expired');
    if (!matchesCode(locked.completionCodeHash, completionCode))
      throw new HttpError('completion_code_invalid');
    return locked.session;
  }
  throw new HttpError('connect_session_not_found');
}
