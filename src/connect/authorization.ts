import { randomBytes } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import passport from 'passport';
import type OAuth2Strategy from 'passport-oauth2';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Grant } from '../connections/connection.ts';
import type { AuthorizationServers } from '../credentials/mcp-servers/authorization-servers.ts';
import { buildRedirectUrl } from '../integrations/integration-wire.ts';
import { sha256 } from '../lib/opaque-tokens.ts';
import { readCallbackVariables } from '../oauth/account.ts';
import { redirectUriFor } from '../oauth/authorization-request.ts';
import type { CallbackParameters } from '../oauth/callback-parameters.ts';
import { isSignedCallback } from '../oauth/callback-proof.ts';
import { ISSUER_VALUE } from '../oauth/discovered-server.ts';
import { findInstallation } from '../oauth/installation.ts';
import { explainRefusal } from '../oauth/known-refusals.ts';
import { createAuthorizationStrategy } from '../oauth/strategy.ts';
import type { TokenEndpoint } from '../oauth/token-endpoint.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { TokenFailure } from '../oauth/token-outcome.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Target } from './connect-flow.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsStore, FlowSecrets } from './connect-sessions.store.ts';
import type { DeliveredCodes } from './delivered-codes.store.ts';
import type { Granted, GrantResult, Grants } from './grants.ts';
import {
  type Refusal,
  refusalOfLogin,
  refusalOfOperators,
  refusalOfServer,
  refusalOfTokenRequest,
} from './refusals.ts';

export type BeginInput = {
  request: Request;
  response: Response;
  next: NextFunction;
  session: ConnectSession;
  target: Target;
  variables: Record<string, string>;
  secretVariables: Record<string, string>;
  /** Answers where the session has ended by now. */
  ended(): void;
};

export type FinishInput = {
  request: Request;
  response: Response;
  session: ConnectSession;
  secrets: FlowSecrets;
  target: Target;
  parameters: CallbackParameters;
};

export type FinishResult = ({ readonly ok: true } & Granted) | Refusal;

export type Authorization = ReturnType<typeof createAuthorization>;

/** The two halves of the authorization code grant, each on a passport strategy built for this integration. */
export function createAuthorization(deps: {
  db: Db;
  sessions: ConnectSessionsStore;
  deliveredCodes: DeliveredCodes;
  tokenEndpoint: TokenEndpoint;
  grants: Grants;
  clientOf(integration: Target['integration']): Promise<OAuthClient>;
  revokeGrant(session: ConnectSession, grant: Grant): Promise<void>;
  outbound: Outbound;
  servers: Pick<AuthorizationServers, 'prepareAuthorization' | 'noteRefusal'>;
  publicUrl: string;
}) {
  const { db, sessions, tokenEndpoint, publicUrl } = deps;

  function strategyFor(
    { provider, integration, known }: Target,
    variables: Record<string, string>,
    half: Pick<Parameters<typeof createAuthorizationStrategy<GrantResult>>[0], 'store' | 'exchange'>,
  ): OAuth2Strategy | undefined {
    const filled = templateValues({ before: known, entered: variables });
    const clientId = integration.clientId ?? '';
    const url = resolveUrl(
      provider.authorizationUrl ?? '',
      provider,
      templateValues({ entered: filled, gateway: { clientId } }),
    );
    const redirectUri = redirectUriFor(provider, buildRedirectUrl(publicUrl, integration), filled);
    if (!url.ok || redirectUri === undefined) return undefined;
    return createAuthorizationStrategy<GrantResult>({
      provider,
      integration: {
        clientId,
        scopes: integration.scopes,
        optionalScopes: integration.optionalScopes,
        authorizationParams: integration.settings.authorizationParams,
      },
      redirectUri,
      authorizationUrl: url.url,
      variables: filled,
      ...half,
    });
  }

  /** Sends the browser to the provider's authorization endpoint, or answers why there is none to send it to. */
  async function begin(input: BeginInput): Promise<Refusal | undefined> {
    const { request, response, next, session, variables, ended } = input;
    const prepared = await deps.servers.prepareAuthorization(input.target);
    if (!prepared.ok) return refusalOfServer(prepared.fault);
    const target = { ...input.target, ...prepared.target };
    const secretVariables = templateValues({
      entered: input.secretVariables,
      reported: issuerOf(target),
    });
    const strategy = strategyFor(target, variables, {
      store: {
        async save(codeVerifier) {
          const state = randomBytes(32).toString('base64url');
          const isStarted = await sessions.startAuthorization(db, session, {
            stateHash: sha256(state),
            secrets: { codeVerifier: codeVerifier ?? '', secretVariables },
            variables,
          });
          return isStarted ? state : null;
        },
      },
      exchange: () => Promise.reject(new Error('no token request at the start')),
    });
    if (strategy === undefined) return { ok: false, error: 'integration_misconfigured' };
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    const failed = (error: unknown) => (error ? next(error) : ended());
    passport.authenticate(strategy, { session: false }, failed)(request, response, next);
    return undefined;
  }

  /** Exchanges the code of a callback whose state has been consumed, once. */
  async function finish(input: FinishInput): Promise<FinishResult> {
    const { request, response, session, secrets, target, parameters } = input;
    const callbackValues = readCallbackVariables(target.provider, parameters.all);
    const client = await deps.clientOf(target.integration);
    if (!callbackValues.ok || !isGenuine(target, parameters, client))
      return { ok: false, error: 'invalid_callback' };
    const variables = templateValues({ entered: session.variables, reported: callbackValues.variables });
    const strategy = strategyFor(target, session.variables, {
      store: {
        // The row was consumed before, together with the check of the browser's cookie.
        take: async () => ({ codeVerifier: secrets.codeVerifier === '' ? null : secrets.codeVerifier }),
      },
      exchange: ({ code, codeVerifier }) => exchange(input, client, variables, code, codeVerifier),
    });
    if (strategy === undefined) return { ok: false, error: 'integration_misconfigured' };
    return new Promise((resolve, reject) => {
      const done = (error: unknown, result: GrantResult | false | undefined) => {
        if (error) return reject(error);
        if (!result) return resolve({ ok: false, error: 'invalid_callback' });
        if (result.ok) return resolve(result);
        const { unusable, ...refusal } = result;
        const revoked = unusable === undefined ? Promise.resolve() : deps.revokeGrant(session, unusable);
        revoked.then(() => resolve(refusal), reject);
      };
      passport.authenticate(strategy, { session: false }, done)(request, response, reject);
    });
  }

  async function exchange(
    { secrets, target, parameters }: FinishInput,
    client: OAuthClient,
    variables: Record<string, string>,
    code: string,
    codeVerifier: string | null,
  ): Promise<GrantResult> {
    const { provider, integration, known } = target;
    const redirectUrl = buildRedirectUrl(publicUrl, integration);
    const addressed = templateValues({ before: known, entered: variables });
    const filled = templateValues({ before: addressed, entered: secrets.secretVariables });
    const values = templateValues({
      integrationSecrets: client.secretVariables,
      entered: filled,
      gateway: { clientId: client.clientId },
    });
    if (!(await deps.deliveredCodes.claim(code, provider, values)))
      return { ok: false, error: 'invalid_callback' };
    const outcome = await tokenEndpoint.exchangeCode({
      provider,
      client,
      variables: filled,
      code,
      redirectUri: redirectUriFor(provider, redirectUrl, addressed) ?? redirectUrl,
      codeVerifier,
    });
    if (!outcome.ok) {
      if (provider.mcp !== undefined) {
        await deps.servers.noteRefusal(integration.id, integration.projectId, outcome);
      }
      return refusalOfTokenRequest(outcome);
    }
    if (provider.installation !== undefined) {
      const entered = { variables, secrets: secrets.secretVariables };
      return grantByInstallation(target, values, outcome.tokens.accessToken, entered);
    }
    return deps.grants.fromTokens(target, client, outcome.tokens, {
      variables,
      secretVariables: secrets.secretVariables,
      callbackParameters: parameters.all,
    });
  }

  /**
   * The grant of an application that its user installed. The token of that user only proves that the installation is
   * theirs; what is kept is the installation's own.
   */
  async function grantByInstallation(
    target: Target,
    values: Readonly<Record<string, string>>,
    userToken: string,
    entered: { variables: Record<string, string>; secrets: Record<string, string> },
  ): Promise<GrantResult> {
    const found = await findInstallation(deps, target.provider, values, userToken);
    if (found === 'theirs') return grantByLogin(target, entered);
    if (found === 'foreign') return { ok: false, error: 'invalid_callback' };
    return { ok: false, error: 'provider_error', reason: 'provider_unreachable' };
  }

  /**
   * The grant of a provider that knows only the integration's own client (RFC 6749 4.4): the browser is not redirected.
   */
  async function grantByClient(
    target: Target,
    entered: { variables: Record<string, string>; secrets: Record<string, string> },
  ): Promise<GrantResult> {
    const { provider, integration, known } = target;
    const client = await deps.clientOf(integration);
    const variables = enteredValues(known, entered);
    const outcome = await tokenEndpoint.clientCredentials({
      provider,
      client,
      variables,
      redirectUrl: buildRedirectUrl(publicUrl, integration),
      scopes: integration.scopes,
    });
    if (!outcome.ok) return refusalKnownTo(target, outcome, variables) ?? refusalOfTokenRequest(outcome);
    return deps.grants.fromTokens(target, client, outcome.tokens, {
      variables: entered.variables,
      secretVariables: entered.secrets,
      callbackParameters: {},
    });
  }

  /**
   * The grant of a provider at which the gateway itself logs in, with what the user typed and the operator set: it is one
   * only if the provider takes it.
   */
  async function grantByLogin(
    target: Target,
    entered: { variables: Record<string, string>; secrets: Record<string, string> },
  ): Promise<GrantResult> {
    const { provider, integration, known } = target;
    const client = await deps.clientOf(integration);
    const variables = enteredValues(known, entered);
    const outcome = await tokenEndpoint.logIn({ provider, client, variables, scopes: integration.scopes });
    if (!outcome.ok) return refusalKnownTo(target, outcome, variables) ?? refusalOfLogin(outcome, provider);
    return deps.grants.fromTokens(target, client, outcome.tokens, {
      variables: entered.variables,
      secretVariables: entered.secrets,
      callbackParameters: {},
    });
  }

  return { begin, finish, grantByClient, grantByLogin };
}

/** A refusal that the provider's file knows: the operator has something to do at the provider. */
function refusalKnownTo(
  { provider, integration }: Target,
  failure: TokenFailure,
  variables: Readonly<Record<string, string>>,
): Refusal | undefined {
  const gateway = { clientId: integration.clientId ?? undefined };
  const advice = explainRefusal(provider, failure, templateValues({ connection: variables, gateway }));
  return advice === undefined ? undefined : refusalOfOperators(failure, advice);
}

function enteredValues(
  before: Readonly<Record<string, string>>,
  { variables, secrets }: { variables: Record<string, string>; secrets: Record<string, string> },
): Record<string, string> {
  return templateValues({ before, entered: variables, credentials: secrets });
}

/** Binds a code, and the tokens that it brings, to the authorization server that the browser is sent to. */
function issuerOf({ provider }: Target): Record<string, string> {
  return provider.mcp === undefined || provider.issuer === undefined
    ? {}
    : { [ISSUER_VALUE]: provider.issuer };
}

/** False where the provider signs its response and this one bears no signature of it. */
function isGenuine(
  { provider }: Target,
  { all }: CallbackParameters,
  { clientSecrets }: OAuthClient,
): boolean {
  const { signature } = provider.callback;
  return signature === undefined || isSignedCallback(signature, all, clientSecrets);
}
