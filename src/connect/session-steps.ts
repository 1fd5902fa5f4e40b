import type { Request, Response } from 'express';
import { isUuid } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type AuthorizeDependencies, createAuthorize } from './authorize.ts';
import { isSameBrowser } from './browser-binding.ts';
import { type ConnectFlow, missingOfApplication, needsForm, validateEntries } from './connect-flow.ts';
import { type ConnectReplies, readQuery } from './connect-replies.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import { NOTHING_ENTERED } from './entered-values.ts';
import { CANCELLED, findBarrier, LACKS_VARIABLES } from './refusals.ts';
import { redirectToTenants } from './tenants.router.ts';

/** A request that is being answered. */
export type Handled = { readonly request: Request; readonly response: Response; next(): void };

export type SessionStepsDependencies = AuthorizeDependencies & {
  db: Db;
  sessions: Pick<ConnectSessionsStore, 'fail' | 'chooseIntegration'>;
  flow: ConnectFlow;
  reply: ConnectReplies;
  /** The page for a session that has ended since it was found usable. */
  replySessionEnded(request: Request, response: Response): Promise<void>;
};

export type SessionSteps = ReturnType<typeof createSessionSteps>;

/** What the pages of a usable session show and take, at whatever address they stand. */
export function createSessionSteps(deps: SessionStepsDependencies) {
  const { db, sessions, flow, reply, publicUrl } = deps;
  const authorize = createAuthorize(deps);

  /** Shows what is to be asked next, or goes on to the provider where nothing is. */
  async function proceed(handled: Handled, session: ConnectSession): Promise<void> {
    const { request, response } = handled;
    if (session.state === 'choosing') return redirectToTenants(request, response, session, publicUrl);
    if (session.integrationId === null) return showChoices(request, response, session);
    const target = await flow.targetOf(session);
    if (target === undefined) return reply.failure(response, 404, 'not_found');
    const barrier = findBarrier(session, target.integration);
    if (barrier !== undefined) {
      await sessions.fail(db, session, barrier.error);
      return reply.replyOutcome(response, session, target.provider, barrier);
    }
    if (missingOfApplication(target).length > 0) {
      await sessions.fail(db, session, LACKS_VARIABLES.error);
      return reply.replyOutcome(response, session, target.provider, LACKS_VARIABLES);
    }
    if (needsForm(target)) return reply.form(response, { session, target });
    const refusal = await authorize(handled, session, target, NOTHING_ENTERED);
    if (refusal === undefined) return;
    await sessions.fail(db, session, refusal.error);
    await reply.replyOutcome(response, session, target.provider, refusal);
  }

  /** Takes what the page was filled in with. */
  async function submit(
    handled: Handled,
    session: ConnectSession,
    entered: Record<string, string>,
  ): Promise<void> {
    const { request, response } = handled;
    if (!isSameBrowser(request, session, publicUrl)) {
      return reply.failure(response, 403, 'flow_binding_failed', session);
    }
    if (entered.cancel === '1') return cancel(response, session);
    if (session.integrationId === null) return choose(request, response, session, entered.integrationId);
    // The second press of a double click on a choice, which comes as an empty form of what the first has chosen.
    if (Object.keys(entered).join() === 'integrationId') return response.redirect(303, request.path);
    const target = await flow.targetOf(session);
    if (target === undefined) return reply.failure(response, 404, 'not_found');
    const mustEnd = missingOfApplication(target).length > 0 || findBarrier(session, target.integration);
    if (mustEnd) return proceed(handled, session);
    const judged = validateEntries(target, entered);
    const again = { session, target, entered };
    if (!judged.ok) return reply.form(response, { ...again, faults: judged.faults });
    const refusal = await authorize(handled, session, target, judged);
    if (refusal !== undefined) await reply.form(response, { ...again, refusal });
  }

  async function cancel(response: Response, session: ConnectSession): Promise<void> {
    const target = await flow.targetOf(session);
    await sessions.fail(db, session, CANCELLED.error);
    await reply.replyOutcome(response, session, target?.provider, CANCELLED);
  }

  async function showChoices(
    request: Request,
    response: Response,
    session: ConnectSession,
    isUnchosen = false,
  ): Promise<void> {
    const { q, from } = request.query;
    const categories = await reply.findCategories(response, session);
    const start = typeof from === 'string' && /^\d{1,6}$/.test(from) ? Number(from) : 0;
    const wanted = { query: readQuery(q), from: start, categories };
    await reply.choices(response, session, { ...(await flow.listChoices(session, wanted)), isUnchosen });
  }

  async function choose(request: Request, response: Response, session: ConnectSession, integrationId = '') {
    const target = isUuid(integrationId) ? await flow.targetFor({ ...session, integrationId }) : undefined;
    const isOffered = target !== undefined && findBarrier(session, target.integration) === undefined;
    if (!isOffered) return showChoices(request, response, session, true);
    await sessions.chooseIntegration(db, session, integrationId);
    response.redirect(303, request.path);
  }

  return { proceed, submit };
}
