import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { createTurns } from '../http/in-turn.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { isUuid } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import { isSameBrowser } from './browser-binding.ts';
import type { ConnectFlow } from './connect-flow.ts';
import type { ConnectReplies } from './connect-replies.ts';
import { type ConnectSession, hasEnded } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import { readFields } from './entered-values.ts';
import { SESSION_EXPIRED } from './refusals.ts';
import { matchForm, type RepeatedForms } from './repeated-forms.ts';
import type { SessionSteps } from './session-steps.ts';
import { SESSIONS_PATH } from './way-on.ts';

type Found = ConnectSession & { readonly isExpired: boolean };

/**
 * A session's page at an address without a secret, where its browser's cookie is the authority: it says how the session
 * stands, which is what a reload of the closing page shows, and begins again a session of which nothing has come.
 */
export function createSessionPageRouter(deps: {
  db: Db;
  sessions: Pick<ConnectSessionsStore, 'findOfAnyProject' | 'reopen'>;
  flow: Pick<ConnectFlow, 'targetOf'>;
  reply: ConnectReplies;
  steps: SessionSteps;
  form: RequestHandler;
  repeated: RepeatedForms;
  publicUrl: string;
}): Router {
  const { db, sessions, reply, steps } = deps;
  const router = express.Router({ caseSensitive: true });
  const inTurn = createTurns();

  /** The session of this browser; otherwise the page that says why there is none is sent. */
  async function requireOwn(request: Request, response: Response): Promise<Found | undefined> {
    const id = String(request.params.id);
    const found = isUuid(id) ? await sessions.findOfAnyProject(db, id) : undefined;
    if (found === undefined) return void (await reply.failure(response, 404, 'not_found'));
    if (isSameBrowser(request, found, deps.publicUrl)) return found;
    const error = hasEnded(found) ? 'session_used' : 'flow_binding_failed';
    await reply.failure(response, error === 'session_used' ? 410 : 403, error);
  }

  async function replyStanding(response: Response, session: ConnectSession): Promise<void> {
    await reply.standing(response, session, (await deps.flow.targetOf(session))?.provider);
  }

  const show: RequestHandler = async (request, response, next) => {
    if (request.method === 'HEAD') return void response.status(200).end();
    const session = await requireOwn(request, response);
    if (session === undefined) return;
    if (hasEnded(session)) return replyStanding(response, session);
    if (session.isExpired) return reply.replyOutcome(response, session, undefined, SESSION_EXPIRED);
    await steps.proceed({ request, response, next }, session);
  };

  const submit: RequestHandler = async (request, response, next) => {
    const session = await requireOwn(request, response);
    if (session === undefined) return;
    if (session.state === 'failed' && (await sessions.reopen(db, session))) {
      return response.redirect(303, request.path);
    }
    const again = await deps.repeated.outcomeOf(session, matchForm(request.body));
    if (again) return reply.replyOutcome(response, session, again.provider, again.outcome);
    if (hasEnded(session)) return replyStanding(response, session);
    if (session.isExpired) return reply.replyOutcome(response, session, undefined, SESSION_EXPIRED);
    await steps.submit({ request, response, next }, session, readFields(request.body));
  };

  router.get(`${SESSIONS_PATH}:id`, show);
  router.post(`${SESSIONS_PATH}:id`, deps.form, inTurn(submit));
  router.all(`${SESSIONS_PATH}:id`, refuseOtherMethods(`${SESSIONS_PATH}{id}`, ['GET', 'POST']));
  return router;
}
