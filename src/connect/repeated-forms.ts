import type { Grant } from '../connections/connection.ts';
import { createOpaqueToken } from '../lib/opaque-tokens.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Outcome } from './conclude.ts';
import { type ConnectFlow, type Target, validateEntries } from './connect-flow.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import { readFields } from './entered-values.ts';

export type RepeatedForms = ReturnType<typeof createRepeatedForms>;

/**
 * Forms that a browser sends twice, as by a double click: it shows the second answer alone, so that the second one has
 * to say what came of the first, and to bring what that brought.
 */
export function createRepeatedForms(deps: {
  db: Db;
  sessions: Pick<ConnectSessionsStore, 'findPending' | 'renewCode'>;
  flow: Pick<ConnectFlow, 'begunTargetOf'>;
}) {
  const { db, sessions } = deps;

  return {
    /**
     * The outcome of a session that waits for its application, once more for its own browser, where the form is the one
     * that brought it. The code is another one, since only its hash is kept. Undefined where that is not so.
     */
    async outcomeOf(
      session: ConnectSession,
      isSame: (target: Target, grant: Grant) => boolean,
    ): Promise<{ readonly provider: Target['provider']; readonly outcome: Outcome } | undefined> {
      if (session.state !== 'pending' || session.completion !== 'same_user') return undefined;
      const grant = await sessions.findPending(db, session);
      const target = await deps.flow.begunTargetOf(session);
      if (grant === undefined || target === undefined || !isSame(target, grant)) return undefined;
      const { token, hash } = createOpaqueToken('');
      if (!(await sessions.renewCode(db, session, hash))) return undefined;
      return { provider: target.provider, outcome: { ok: true, completionCode: token } };
    },
  };
}

/** A check whether a grant is of what this form was filled in with. */
export function matchForm(body: unknown) {
  const fields = readFields(body);
  return (target: Target, { variables, credentials }: Grant): boolean => {
    const entered = validateEntries(target, fields);
    if (fields.cancel !== undefined || !entered.ok) return false;
    const isIn = (values: Readonly<Record<string, string>>, typed: Readonly<Record<string, string>>) =>
      Object.entries(typed).every(([name, value]) => (values[name] ?? '') === value);
    return isIn(variables, entered.variables) && isIn(credentials.values, entered.secrets);
  };
}
