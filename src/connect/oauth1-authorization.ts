import { randomBytes, timingSafeEqual } from 'node:crypto';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import { buildRedirectUrl } from '../integrations/integration-wire.ts';
import { sha256 } from '../lib/opaque-tokens.ts';
import { fillParameters } from '../oauth/authorization-request.ts';
import type { CallbackParameters } from '../oauth/callback-parameters.ts';
import { type OAuth1Response, requestTemporaryToken, requestUserToken } from '../oauth/oauth1-flow.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Target } from './connect-flow.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import type { EnteredValues } from './entered-values.ts';
import type { GrantResult, Grants } from './grants.ts';
import type { Refusal } from './refusals.ts';
import type { FlowSecrets } from './session-authorizations.store.ts';

type BeginInput = {
  readonly session: ConnectSession;
  readonly target: Target;
  readonly entered: EnteredValues;
};

type FinishInput = {
  readonly session: ConnectSession;
  readonly secrets: FlowSecrets;
  readonly target: Target;
  readonly parameters: CallbackParameters;
};

export type OAuth1Authorization = ReturnType<typeof createOAuth1Authorization>;

/**
 * The two halves of OAuth 1.0a (RFC 5849 section 2). A state of ours in the callback's address binds the browser to the
 * session as in OAuth 2.0, and the temporary token that comes back must be the one that the session began with.
 */
export function createOAuth1Authorization(deps: {
  db: Db;
  outbound: Outbound;
  sessions: ConnectSessionsStore;
  grants: Grants;
  clientOf(integration: Target['integration']): Promise<OAuthClient>;
  publicUrl: string;
}) {
  /**
   * Gets temporary credentials. Answers the provider's page for the browser, or why there is none; undefined where the
   * session has ended by now.
   */
  async function begin(
    input: BeginInput,
  ): Promise<{ readonly ok: true; readonly url: string } | Refusal | undefined> {
    const { session, target } = input;
    const { variables, secrets: secretVariables } = input.entered;
    const { provider, integration, known } = target;
    const filled = templateValues({ before: known, entered: variables });
    const client = await deps.clientOf(integration);
    const page = resolveUrl(
      provider.authorizationUrl ?? '',
      provider,
      templateValues({ entered: filled, gateway: { clientId: client.clientId } }),
    );
    if (!page.ok) return { ok: false, error: 'integration_misconfigured' };
    const state = randomBytes(32).toString('base64url');
    const callbackUrl = `${buildRedirectUrl(deps.publicUrl, integration)}?state=${state}`;
    const context = {
      provider,
      client,
      variables: templateValues({ entered: filled, credentials: secretVariables }),
    };
    const answer = await requestTemporaryToken(deps.outbound, context, callbackUrl);
    if (!answer.ok) return refusalOf(answer, 'client');
    const isStarted = await deps.sessions.startAuthorization(deps.db, session, {
      stateHash: sha256(state),
      secrets: { codeVerifier: '', secretVariables, temporaryToken: answer.token },
      variables,
    });
    if (!isStarted) return undefined;
    const url = new URL(page.url);
    for (const [name, value] of Object.entries(fillParameters(provider.authorizationParams, filled)))
      url.searchParams.append(name, value);
    url.searchParams.append('oauth_token', answer.token.key);
    return { ok: true, url: url.href };
  }

  /** Exchanges the verifier of a callback whose state has been consumed, once. */
  async function finish({ session, secrets, target, parameters }: FinishInput): Promise<GrantResult> {
    const { temporaryToken } = secrets;
    const { code: verifier = '', all } = parameters;
    if (temporaryToken === undefined || !isSame(all.oauth_token ?? '', temporaryToken.key))
      return { ok: false, error: 'invalid_callback' };
    const client = await deps.clientOf(target.integration);
    const variables = templateValues({
      before: target.known,
      entered: session.variables,
      credentials: secrets.secretVariables,
    });
    const context = { provider: target.provider, client, variables };
    const answer = await requestUserToken(deps.outbound, context, temporaryToken, verifier);
    if (!answer.ok) return refusalOf(answer, 'user');
    const { key: accessToken, secret: accessTokenSecret } = answer.token;
    const { oauth_token: _token, oauth_token_secret: _secret, ...raw } = answer.raw;
    const tokens = {
      accessToken,
      refreshToken: null,
      expiresInSeconds: null,
      scopes: null,
      tokenType: null,
      raw,
    };
    return deps.grants.fromTokens(target, client, tokens, {
      entered: {
        variables: session.variables,
        secrets: templateValues({ entered: secrets.secretVariables, reported: { accessTokenSecret } }),
      },
      callbackParameters: all,
    });
  }

  return { begin, finish };
}

/** The provider refuses temporary credentials to a consumer that it does not know, or for a callback that it refuses. */
function refusalOf({ kind, code }: Extract<OAuth1Response, { ok: false }>, of: 'client' | 'user'): Refusal {
  if (kind === 'unreachable')
    return { ok: false, error: 'provider_error', reason: 'provider_unreachable', providerCode: code };
  if (of === 'user')
    return { ok: false, error: 'provider_error', reason: 'provider_error', providerCode: code };
  return { ok: false, error: 'integration_misconfigured', reason: 'client_refused', providerCode: code };
}

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}
