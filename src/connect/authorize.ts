import type { Request, Response } from 'express';
import { sendsUsersToProvider } from '../catalog/facts/auth-kinds.ts';
import { isLoginKind } from '../catalog/facts/login-kinds.ts';
import type { Authorization } from './authorization.ts';
import type { Conclude } from './conclude.ts';
import type { Target } from './connect-flow.ts';
import type { ConnectReplies } from './connect-replies.ts';
import type { ConnectSession } from './connect-session.ts';
import type { EnteredValues } from './entered-values.ts';
import type { GrantResult } from './grants.ts';
import type { OAuth1Authorization } from './oauth1-authorization.ts';
import type { Refusal } from './refusals.ts';
import { redirectToTenants } from './tenants.router.ts';

export type AuthorizeDependencies = {
  authorization: Pick<Authorization, 'begin' | 'grantByClient' | 'grantByLogin'>;
  oauth1: Pick<OAuth1Authorization, 'begin'>;
  conclude: Conclude;
  /** Makes a grant of credentials that a user typed in; checks them at the provider where it can be asked. */
  grantFromCredentials(target: Target, entered: EnteredValues): Promise<GrantResult>;
  publicUrl: string;
};

/** A request that is being answered. */
type Handled = { readonly request: Request; readonly response: Response; next(): void };

/** Starts the authorization of a session whose integration and values are known. */
export function createAuthorize(
  deps: AuthorizeDependencies & {
    reply: Pick<ConnectReplies, 'replyOutcome'>;
    /** The page for a session that has ended since it was found usable. */
    replySessionEnded(request: Request, response: Response): Promise<void>;
  },
) {
  /** The grant of a provider that has no page of its own. */
  function makeGrant(target: Target, entered: EnteredValues): Promise<GrantResult> {
    const { auth } = target.provider;
    if (auth === 'oauth2-client-credentials') {
      return deps.authorization.grantByClient(target, entered);
    }
    if (isLoginKind(auth)) return deps.authorization.grantByLogin(target, entered);
    return deps.grantFromCredentials(target, entered);
  }

  /**
   * Redirects to the provider's page, or makes the grant at once where there is no such page. Answers why there is no
   * grant.
   */
  return async function authorize(
    { request, response, next }: Handled,
    usable: ConnectSession,
    target: Target,
    entered: EnteredValues,
  ): Promise<Refusal | undefined> {
    const session = {
      ...usable,
      organizationClientId: target.integration.organizationClient?.versionId ?? null,
    };
    if (target.provider.oauth1 !== undefined && sendsUsersToProvider(target.provider)) {
      const begun = await deps.oauth1.begin({ session, target, entered });
      if (begun === undefined) return void (await deps.replySessionEnded(request, response));
      if (!begun.ok) return begun;
      response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
      response.redirect(302, begun.url);
      return undefined;
    }
    if (sendsUsersToProvider(target.provider)) {
      return deps.authorization.begin({
        request,
        response,
        next,
        session,
        target,
        entered,
        ended: () => void deps.replySessionEnded(request, response).catch(next),
      });
    }
    const made = await makeGrant(target, entered);
    if (!made.ok) return made;
    const { provider } = target;
    const outcome = await deps.conclude.conclude(session, made, provider);
    if (outcome === 'asks') redirectToTenants(request, response, session, deps.publicUrl);
    else await deps.reply.replyOutcome(response, session, provider, outcome);
    return undefined;
  };
}
