import { randomBytes } from 'node:crypto';
import express, { type Request, type Response, type Router } from 'express';
import type { Interaction, Provider } from 'oidc-provider';
import { type CrmUser, findUserByPassword } from './hubs.ts';
import type { OAuthStore } from './oauth-store.ts';
import { renderConsentPage, renderErrorPage, renderSignInPage } from './pages.ts';
import { splitScopes } from './scopes.ts';

const SIGN_IN_COOKIE = 'crm_signed_in';
const SIGN_IN_LIFETIME_MS = 24 * 60 * 60 * 1000;
const FORM_BODY_BYTES_MAX = 4096;

type InteractionDeps = {
  readonly provider: Provider;
  readonly store: OAuthStore;
  readonly secureCookies: boolean;
};
type SignedIn = Map<string, CrmUser>;

/**
 * The pages between the authorization request and its answer: sign in, then allow or deny.
 *
 * Who is signed in is kept here and not in oidc-provider's own session: there, changing the user is a logout that ends
 * the grants of all earlier users, and the second account would cost the first one its connection.
 */
export function createInteractionsRouter({ provider, store, secureCookies }: InteractionDeps): Router {
  const signedIn: SignedIn = new Map();
  const router = express.Router();
  router.use(express.urlencoded({ extended: false, limit: FORM_BODY_BYTES_MAX }));

  router.get('/:uid', async (req, res) => {
    const interaction = await findInteraction(provider, req, res);
    if (!interaction) return;
    const user = signedIn.get(readCookie(req, SIGN_IN_COOKIE));
    const appName = findAppName(store, interaction);
    if (!user) {
      res.send(renderSignInPage({ uid: interaction.uid, appName, email: '', failure: '' }));
      return;
    }
    res.send(renderConsentPage({ uid: interaction.uid, appName, user, ...requestedScopes(interaction) }));
  });

  router.post('/:uid/sign-in', async (req, res) => {
    const interaction = await findInteraction(provider, req, res);
    if (!interaction) return;
    const email = readField(req, 'email');
    const user = findUserByPassword(email, readField(req, 'password'));
    if (!user) {
      const failure = 'That e-mail address and password do not belong together.';
      res.status(401);
      res.send(
        renderSignInPage({ uid: interaction.uid, appName: findAppName(store, interaction), email, failure }),
      );
      return;
    }
    const sessionId = randomBytes(32).toString('base64url');
    signedIn.set(sessionId, user);
    res.cookie(SIGN_IN_COOKIE, sessionId, {
      path: '/oauth',
      httpOnly: true,
      sameSite: 'lax',
      secure: secureCookies,
      maxAge: SIGN_IN_LIFETIME_MS,
    });
    res.redirect(303, `/oauth/interaction/${interaction.uid}`);
  });

  router.post('/:uid/sign-out', (req, res) => {
    signedIn.delete(readCookie(req, SIGN_IN_COOKIE));
    res.clearCookie(SIGN_IN_COOKIE, { path: '/oauth' });
    res.redirect(303, `/oauth/interaction/${encodeURIComponent(req.params.uid)}`);
  });

  router.post('/:uid/deny', async (req, res) => {
    if (!(await findInteraction(provider, req, res))) return;
    const error_description = 'The user did not allow the app to be connected';
    await provider.interactionFinished(req, res, { error: 'access_denied', error_description });
  });

  router.post('/:uid/allow', async (req, res) => {
    const interaction = await findInteraction(provider, req, res);
    if (!interaction) return;
    const user = signedIn.get(readCookie(req, SIGN_IN_COOKIE));
    if (!user) {
      res.redirect(303, `/oauth/interaction/${interaction.uid}`);
      return;
    }
    const accountId = String(user.id);
    const grantId = await saveGrant(provider, interaction, accountId, tickedScopes(req));
    await provider.interactionFinished(req, res, {
      login: { accountId, remember: false },
      consent: { grantId },
    });
  });

  return router;
}

/** What oidc-provider stored under the cookie of this authorization; if it is gone, answers and gives undefined. */
async function findInteraction(
  provider: Provider,
  req: Request,
  res: Response,
): Promise<Interaction | undefined> {
  const interaction = await provider.interactionDetails(req, res).catch(() => undefined);
  if (interaction && interaction.uid === req.params.uid) return interaction;
  const detail = 'This page is no longer valid. Go back to the app and start again.';
  res.status(400).send(renderErrorPage('session_not_found', detail));
  return undefined;
}

function findAppName(store: OAuthStore, { params }: Interaction): string {
  const clientId = params.client_id ?? '';
  return store.client(clientId)?.name ?? clientId;
}

/** Scopes named in `optional_scope` alone may be unticked; one that stands in both parameters is required. */
function requestedScopes({ params }: Interaction): { required: string[]; optional: string[] } {
  const optionalOnly = splitScopes(params.optional_scope);
  const all = splitScopes(params.scope);
  return {
    required: all.filter((scope) => !optionalOnly.includes(scope)),
    optional: all.filter((scope) => optionalOnly.includes(scope)),
  };
}

async function saveGrant(
  provider: Provider,
  interaction: Interaction,
  accountId: string,
  ticked: readonly string[],
): Promise<string> {
  const { required, optional } = requestedScopes(interaction);
  const grant = new provider.Grant({ accountId, clientId: interaction.params.client_id ?? '' });
  grant.addOIDCScope([...required, ...optional].join(' '));
  // A scope that is neither granted nor rejected would make oidc-provider ask again.
  const refused = optional.filter((scope) => !ticked.includes(scope));
  if (refused.length > 0) grant.rejectOIDCScope(refused.join(' '));
  return grant.save();
}

function readField(req: Request, name: string): string {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null) return '';
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : '';
}

function tickedScopes(req: Request): string[] {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null) return [];
  return [Reflect.get(body, 'optional')].flat().filter((value) => typeof value === 'string');
}

function readCookie(req: Request, name: string): string {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([key]) => key === name)?.[1] ?? '';
}
