import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Grant } from '../connections/connection.ts';
import { createTurns } from '../http/in-turn.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Db } from '../platform/postgres/database.ts';
import { isSameBrowser, renewBrowserBinding } from './browser-binding.ts';
import type { ChoosingSession } from './choosing-sessions.store.ts';
import { CHOICE_LIFETIME_SECONDS, type Conclude } from './conclude.ts';
import type { ConnectFlow, Target } from './connect-flow.ts';
import type { ConnectReplies } from './connect-replies.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import { SESSION_EXPIRED } from './refusals.ts';
import type { RepeatedForms } from './repeated-forms.ts';

export const TENANTS_PATH = '/connect/tenants/';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Choosing = {
  readonly session: ConnectSession;
  readonly choice: NonNullable<ChoosingSession['choice']>;
  readonly target: Target;
};

/**
 * The page on which a user chooses one of the tenants that the grant reaches. Its address holds no secret: the session's
 * cookie is the authority, and the grant stays sealed in the session's row, so that any replica shows the page and a reload
 * changes nothing.
 */
export function createTenantsRouter(deps: {
  db: Db;
  sessions: ConnectSessionsStore;
  flow: ConnectFlow;
  conclude: Conclude;
  reply: ConnectReplies;
  form: RequestHandler;
  repeated: RepeatedForms;
  publicUrl: string;
}): Router {
  const { db, sessions, reply, publicUrl } = deps;
  const router = express.Router({ caseSensitive: true });
  const inTurn = createTurns();

  /** What this browser is to choose; otherwise the page that says why it is not is sent. */
  async function requireChoosing(request: Request, response: Response): Promise<Choosing | undefined> {
    const id = String(request.params.id);
    const found = UUID.test(id) ? await sessions.findChoosingOfAnyProject(db, id) : undefined;
    if (found === undefined) return void (await reply.failure(response, 404, 'not_found'));
    const { session, choice } = found;
    if (!isSameBrowser(request, session, publicUrl))
      return void (await reply.failure(response, 403, 'flow_binding_failed'));
    if (choice === undefined) {
      const { tenant } = enteredIn(request);
      const isSame = (_target: Target, { tenantId }: Grant) => tenantId !== null && tenantId === tenant;
      const isForm = request.method === 'POST';
      const again = isForm ? await deps.repeated.outcomeOf(session, isSame) : undefined;
      if (again) return void (await reply.replyOutcome(response, session, again.provider, again.outcome));
      return void (await reply.failure(response, 410, 'session_used', session));
    }
    const target = await deps.flow.begunTargetOf(session);
    if (target === undefined) return void (await reply.failure(response, 404, 'not_found'));
    if (!found.isExpired) return { session, choice, target };
    await reply.replyOutcome(response, session, target.provider, SESSION_EXPIRED);
  }

  const show: RequestHandler = async (request, response) => {
    if (request.method === 'HEAD') return void response.status(200).end();
    const found = await requireChoosing(request, response);
    if (found === undefined) return;
    const { session, choice, target } = found;
    await reply.tenants(response, { session, target, tenants: choice.tenants });
  };

  const choose: RequestHandler = async (request, response) => {
    const found = await requireChoosing(request, response);
    if (found === undefined) return;
    const { session, choice, target } = found;
    const { provider } = target;
    const entered = enteredIn(request);
    if (entered.cancel !== undefined) {
      return reply.replyOutcome(
        response,
        session,
        provider,
        await deps.conclude.cancel(session, choice.grant),
      );
    }
    const tenant = choice.tenants.find(({ id }) => id === entered.tenant);
    if (tenant === undefined) {
      return reply.tenants(response, { session, target, tenants: choice.tenants, isUnchosen: true });
    }
    const outcome = await deps.conclude.concludeOn(session, choice.grant, provider, tenant);
    await reply.replyOutcome(response, session, provider, outcome);
  };

  router.get(`${TENANTS_PATH}:id`, show);
  router.post(`${TENANTS_PATH}:id`, deps.form, inTurn(choose));
  router.all(`${TENANTS_PATH}:id`, refuseOtherMethods(`${TENANTS_PATH}{id}`, ['GET', 'POST']));
  return router;
}

function enteredIn({ body }: Request): Readonly<Record<string, unknown>> {
  return isRecord(body) ? body : {};
}

/** Sends the browser to the page that asks for a tenant, with a cookie that lives as long as the choice may take. */
export function redirectToTenants(
  request: Request,
  response: Response,
  { id }: Pick<ConnectSession, 'id'>,
  publicUrl: string,
): void {
  const cookie = renewBrowserBinding(request, id, publicUrl, CHOICE_LIFETIME_SECONDS);
  if (cookie !== undefined) response.append('Set-Cookie', cookie);
  response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  response.redirect(303, `${TENANTS_PATH}${id}`);
}
