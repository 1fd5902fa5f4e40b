import { createHash, randomBytes } from 'node:crypto';
import type { Request } from 'express';
import OAuth2Strategy from 'passport-oauth2';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import {
  type AuthorizingIntegration,
  authorizationRequestUrl,
  buildAuthorizationParameters,
} from './authorization-request.ts';

/**
 * At the start: keeps the PKCE verifier (null where the provider breaks on PKCE) and answers the state to send, or
 * null where there is nothing left to authorize.
 */
export type StateKeeper = { save(codeVerifier: string | null): Promise<string | null> };

/** At the callback: answers what was kept under the state, once, or null. */
export type StateTaker = { take(state: string): Promise<{ readonly codeVerifier: string | null } | null> };

export type AuthorizationStrategyOptions<Grant extends object> = {
  readonly provider: Provider;
  readonly integration: AuthorizingIntegration;
  readonly redirectUri: string;
  /** The provider's authorization endpoint with every variable filled in. */
  readonly authorizationUrl: string;
  /** Variables known by now, for the catalog's parameters that name them. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Decides which half of the flow this strategy serves; the request's own query never does. */
  readonly store: StateKeeper | StateTaker;
  /**
   * One token request. What it resolves to becomes passport's `user`; what it throws reaches passport's callback
   * as it is. Not called at the start.
   */
  readonly exchange: (response: {
    readonly code: string;
    readonly codeVerifier: string | null;
  }) => Promise<Grant>;
};

/**
 * A passport strategy for one authorization at one integration; build a new one for each request and hand it to
 * `passport.authenticate(strategy, { session: false }, callback)`. No session, no profile call.
 *
 * Start (`store.save`): redirects to the provider with state, PKCE S256 and the exact scopes. No state ends as a
 * failure with 410; rejections of `save` are passed to the callback as errors.
 *
 * Callback (`store.take`): expects a code and `state` in the query, each once, and no `error`; the caller has checked
 * that, since passport-oauth2 looks at `error` before it looks at the state. An unknown state ends as a failure with
 * 403. Otherwise `exchange` is called once and its result is the user.
 */
export function createAuthorizationStrategy<Grant extends object>(
  options: AuthorizationStrategyOptions<Grant>,
): OAuth2Strategy {
  return new AuthorizationStrategy(options);
}

type Verified = (error: Error | null, ok?: string | boolean, state?: unknown) => void;

class AuthorizationStrategy<Grant extends object> extends OAuth2Strategy {
  // Passport calls a copy made with Object.create, on which private (#) members would not exist.
  readonly options: AuthorizationStrategyOptions<Grant>;

  // Actions that passport adds to that copy, and an internal of passport-oauth2 that its types leave out.
  declare redirect: (url: string, status?: number) => void;
  declare fail: (challenge: object, status: number) => void;
  declare error: (error: unknown) => void;
  declare _stateStore: object;

  constructor(options: AuthorizationStrategyOptions<Grant>) {
    super(
      {
        authorizationURL: options.authorizationUrl,
        // Only shown to the state store; the token request is `exchange`.
        tokenURL: options.provider.tokenUrl ?? options.authorizationUrl,
        clientID: options.integration.clientId,
        // passport-oauth2 requires one; ours is used by `exchange` alone.
        clientSecret: '',
        callbackURL: options.redirectUri,
        skipUserProfile: true,
      },
      // Five parameters: passport-oauth2 counts them to find out that the third is the token response.
      (
        _accessToken: string,
        _refreshToken: string,
        grant: Grant,
        _profile: unknown,
        done: OAuth2Strategy.VerifyCallback,
      ) => done(null, grant),
    );
    this.options = options;
    this._stateStore = stateStore(options.store);
    // Its own request has no time-out, no size limit, and takes a redirect's body for tokens.
    Object.assign(this._oauth2, {
      getOAuthAccessToken(code: string, params: ExchangeParams, callback: ExchangeCallback) {
        options
          .exchange({ code, codeVerifier: params.code_verifier ?? null })
          // The real token stays out of passport: it only has to see that there is one.
          .then((grant) => callback(null, 'exchanged', '', grant))
          .catch((error: unknown) => callback(error));
      },
    });
  }

  override authenticate(request: Request, options?: object): void {
    const { store, provider } = this.options;
    const query = answerIn(request.query, provider.callback.codeParameter);
    if ('save' in store) this.start(store);
    else if (query === undefined) this.fail({ message: 'not an authorization response' }, 400);
    // passport-oauth2 reads the registered names, from here alone.
    else
      super.authenticate(Object.create(request, { query: { value: query }, body: { value: {} } }), options);
  }

  start(store: StateKeeper): void {
    const { provider, integration, redirectUri, authorizationUrl, variables } = this.options;
    const codeVerifier = provider.pkce ? randomBytes(32).toString('base64url') : null;
    const codeChallenge = codeVerifier === null ? undefined : challengeOf(codeVerifier);
    store
      .save(codeVerifier)
      .then((state) => {
        if (state === null) return this.fail({ message: 'nothing left to authorize' }, 410);
        const nonce = randomBytes(16).toString('base64url');
        const request = { provider, integration, redirectUri, variables, state, nonce, codeChallenge };
        const parameters = buildAuthorizationParameters(request);
        this.redirect(authorizationRequestUrl(authorizationUrl, parameters, provider.authorizationFragment));
      })
      .catch((error: unknown) => this.error(error));
  }

  /** An error of `exchange` says more than a wrapper around it. */
  _createOAuthError(message: string, cause: unknown): unknown {
    return cause instanceof Error ? cause : new Error(message);
  }
}

type ExchangeParams = { readonly code_verifier?: string };
type ExchangeCallback = (
  error: unknown,
  accessToken?: string,
  refreshToken?: string,
  results?: object,
) => void;

/** Code and state under their registered names; undefined where one is missing or came twice, or an error is there. */
function answerIn(query: Request['query'], codeParameter: string) {
  const { [codeParameter]: code, state, error } = query;
  const isAnswer = typeof code === 'string' && typeof state === 'string' && error === undefined;
  return isAnswer ? { code, state } : undefined;
}

/** S256 of RFC 7636 section 4.2. */
function challengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url');
}

/**
 * The store in the shape that passport-oauth2 wants: it counts the parameters of both functions (five and four) and
 * takes a text from `verify` for the PKCE verifier.
 */
function stateStore(store: StateKeeper | StateTaker): object {
  return {
    store(_request: Request, _verifier: string, _state: unknown, _meta: object, stored: Verified) {
      stored(new Error('the authorization request is made without passport-oauth2'));
    },
    verify(_request: Request, state: string, _meta: object, verified: Verified) {
      if (!('take' in store)) return verified(null, false, { message: 'no authorization is expected here' });
      store.take(state).then(
        (kept) => {
          if (kept === null) verified(null, false, { message: 'unknown state' });
          else verified(null, kept.codeVerifier ?? true);
        },
        (error: Error) => verified(error),
      );
    },
  };
}
