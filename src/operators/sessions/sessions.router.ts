import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { assertNotCrossOrigin } from '../../http/same-origin.ts';
import { readPage } from '../../lib/cursor.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { OperatorsStore } from '../accounts/operators.store.ts';
import type { BrowserRequest, BrowserSessions } from './browser-sessions.ts';
import { endedSessionCookie } from './session-cookie.ts';
import {
  sessionList,
  sessionParams,
  sessionSchema,
  sessionsQuery,
  signInBody,
  signInOptionsSchema,
  toSessionWire,
} from './sessions.schema.ts';
import type { SessionsStore } from './sessions.store.ts';
import type { SignIn } from './sign-in.ts';

type SessionsDependencies = {
  db: Db;
  publicUrl: string;
  operators: OperatorsStore;
  sessions: SessionsStore;
  browserSessions: BrowserSessions;
  signIn: SignIn;
  recordActivity: RecordActivity;
  singleSignOnUrl: string | undefined;
  /** Links an account at the identity provider that waits for the password. */
  linkWaiting(trx: Db, operatorId: string, request: BrowserRequest): Promise<void>;
  canMail: boolean;
};

const TAG = 'Signing in';
/** Anonymous callers may send one, so it must be cheap to validate. */
const BODY_BYTES_MAX = 4 * 1024;

/** Signing in to the dashboard and out of it. */
export function createSessionsEndpoints(deps: SessionsDependencies): Endpoint[] {
  return [createSession(deps), listSessions(deps), endSession(deps), readSignInOptions(deps)];
}

function createSession(deps: SessionsDependencies): Endpoint {
  const { db, publicUrl, browserSessions, signIn } = deps;
  return endpoint({
    operationId: 'createSession',
    method: 'post',
    path: '/sessions',
    summary: 'Sign in',
    description:
      'Sets the session cookie, which stands for the operator from then on: twelve hours after its last use at most, seven days in all. With the cookie, a request that changes something must come from a page of the gateway. Where a request has an `Authorization` field, the cookie is not looked at.',
    tag: TAG,
    principals: [],
    body: signInBody,
    requestExample: { email: 'ada@example.com', password: 'correct horse battery staple', otp: '123456' },
    bodyBytesMax: BODY_BYTES_MAX,
    success: { status: 201, schema: sessionSchema, description: 'Signed in; the cookie comes with it' },
    errors: ['sign_in_refused', 'otp_required', 'otp_invalid', 'csrf_rejected', 'overloaded'],
    async handler({ body, request }) {
      assertNotCrossOrigin(request, publicUrl);
      const proof = await signIn.prove(request, body);
      const { account, secondFactor } = proof;
      const begun = await db.transaction(async (trx) => {
        await signIn.assertUnchanged(trx, proof);
        await deps.linkWaiting(trx, account.id, request);
        return browserSessions.begin(trx, account.id, request, { method: 'password', secondFactor });
      });
      return { ...begun, headers: { Location: 'sessions' } };
    },
  });
}

function listSessions({ db, operators, sessions }: SessionsDependencies): Endpoint {
  return endpoint({
    operationId: 'listSessions',
    method: 'get',
    path: '/sessions',
    summary: 'List your sessions',
    description: 'The browsers in which you are signed in.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    query: sessionsQuery,
    success: { status: 200, schema: sessionList, description: 'Sessions that have not ended' },
    async handler({ principal: { operatorId, sessionId }, query }) {
      const { items, nextCursor } = await readPage(query, (window) =>
        sessions.list({ operatorId, ...window }),
      );
      const operator = await operators.findProfile(db, operatorId);
      if (operator === undefined) throw new HttpError('not_found');
      return { body: { sessions: items.map((one) => toSessionWire(one, operator, sessionId)), nextCursor } };
    },
  });
}

function endSession({ db, publicUrl, sessions, recordActivity }: SessionsDependencies): Endpoint {
  return endpoint({
    operationId: 'deleteSession',
    method: 'delete',
    path: '/sessions/{id}',
    summary: 'Sign out',
    description: 'Ends one of your sessions, at once; `current` is the one that asks.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    params: sessionParams,
    success: { status: 204, description: 'Ended' },
    errors: ['not_found', 'csrf_rejected'],
    async handler({ principal, params }) {
      const { operatorId, sessionId } = principal;
      const id = params.id === 'current' ? sessionId : params.id.toLowerCase();
      if (id === undefined) throw new HttpError('not_found');
      await db.transaction(async (trx) => {
        if (!(await sessions.remove(trx, operatorId, id))) throw new HttpError('not_found');
        await recordActivity(trx, {
          projectId: null,
          actor: principal,
          action: 'session.ended',
          subjectId: id,
          details: {},
        });
      });
      return id === sessionId ? { cookies: [endedSessionCookie(publicUrl)] } : {};
    },
  });
}

function readSignInOptions({ db, operators, singleSignOnUrl, canMail }: SessionsDependencies): Endpoint {
  return endpoint({
    operationId: 'getSignInOptions',
    method: 'get',
    path: '/sign-in-options',
    summary: 'Read how operators can sign in',
    tag: TAG,
    principals: [],
    success: { status: 200, schema: signInOptionsSchema, description: 'What the sign-in page offers' },
    async handler() {
      return {
        body: {
          setUp: await operators.isAnyone(db),
          singleSignOn: singleSignOnUrl === undefined ? null : { url: singleSignOnUrl },
          mail: canMail,
        },
      };
    },
  });
}
