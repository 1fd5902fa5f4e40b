import { randomBytes } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import passport from 'passport';
import type OAuth2Strategy from 'passport-oauth2';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Grant } from '../connections/connection.ts';
import type { AuthorizationServers } from '../credentials/mcp-servers/authorization-servers.ts';
import { sha256 } from '../lib/opaque-tokens.ts';
import { readCallbackVariables } from '../oauth/account.ts';
import type { CallbackParameters } from '../oauth/callback-parameters.ts';
import { isSignedCallback } from '../oauth/callback-proof.ts';
import { ISSUER_VALUE } from '../oauth/discovered-server.ts';
import type { TokenEndpoint } from '../oauth/token-endpoint.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { Db } from '../platform/postgres/database.ts';
import { buildStrategy } from './build-strategy.ts';
import type { Target } from './connect-flow.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import { createDirectGrants } from './direct-grants.ts';
import type { EnteredValues } from './entered-values.ts';
import { createExchangeCode, type ExchangeCodeDependencies } from './exchange-code.ts';
import type { Granted, GrantResult } from './grants.ts';
import { type Refusal, refusalOfServer } from './refusals.ts';
import type { FlowSecrets } from './session-authorizations.store.ts';

export type BeginInput = {
  request: Request;
  response: Response;
  next: NextFunction;
  session: ConnectSession;
  target: Target;
  entered: EnteredValues;
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
export function createAuthorization(
  deps: Omit<ExchangeCodeDependencies, 'grantByLogin'> & {
    db: Db;
    sessions: ConnectSessionsStore;
    tokenEndpoint: TokenEndpoint;
    clientOf(integration: Target['integration']): Promise<OAuthClient>;
    revokeGrant(session: ConnectSession, grant: Grant): Promise<void>;
    servers: Pick<AuthorizationServers, 'prepareAuthorization'>;
  },
) {
  const { db, sessions, publicUrl } = deps;
  const { grantByClient, grantByLogin } = createDirectGrants(deps);
  const exchange = createExchangeCode({ ...deps, grantByLogin });

  /** Sends the browser to the provider's authorization endpoint, or answers why there is none to send it to. */
  async function begin(input: BeginInput): Promise<Refusal | undefined> {
    const { request, response, next, session, entered, ended } = input;
    const prepared = await deps.servers.prepareAuthorization(input.target);
    if (!prepared.ok) return refusalOfServer(prepared.fault);
    const target = { ...input.target, ...prepared.target };
    const { variables } = entered;
    const secretVariables = templateValues({ entered: entered.secrets, reported: issuerOf(target) });
    const strategy = buildStrategy(publicUrl, target, variables, {
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
    const reported = readCallbackVariables(target.provider, parameters.all);
    const client = await deps.clientOf(target.integration);
    if (!reported.ok || !isGenuine(target, parameters, client))
      return { ok: false, error: 'invalid_callback' };
    const entered = {
      variables: templateValues({ entered: session.variables, reported: reported.variables }),
      secrets: secrets.secretVariables,
    };
    const callbackParameters = parameters.all;
    const strategy = buildStrategy(publicUrl, target, session.variables, {
      store: {
        // The row was consumed before, together with the check of the browser's cookie.
        take: async () => ({ codeVerifier: secrets.codeVerifier === '' ? null : secrets.codeVerifier }),
      },
      exchange: (issued) => exchange({ target, client, entered, callbackParameters, ...issued }),
    });
    if (strategy === undefined) return { ok: false, error: 'integration_misconfigured' };
    const result = await authenticate(strategy, request, response);
    if (!result) return { ok: false, error: 'invalid_callback' };
    if (result.ok) return result;
    const { unusable, ...refusal } = result;
    if (unusable !== undefined) await deps.revokeGrant(session, unusable);
    return refusal;
  }

  return { begin, finish, grantByClient, grantByLogin };
}

/** What passport makes of a callback: the result of the exchange; false where it refuses the callback itself. */
function authenticate(
  strategy: OAuth2Strategy,
  request: Request,
  response: Response,
): Promise<GrantResult | false | undefined> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, result: GrantResult | false | undefined) =>
      error ? reject(error) : resolve(result);
    passport.authenticate(strategy, { session: false }, done)(request, response, reject);
  });
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
