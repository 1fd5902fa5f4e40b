import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { z } from 'zod';
import { type Outbound, OutboundError } from '../platform/outbound.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 256 * 1024;
/** Keys and endpoints of an identity provider change seldom. */
const DISCOVERED_MS = 60 * 60_000;

/** What proves at the callback that the answer belongs to this browser's request. */
export const attemptSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });
export type Attempt = z.output<typeof attemptSchema>;

export type OpenIdSignIn = ReturnType<typeof createOpenIdSignIn>;

/**
 * Signing in at an OpenID provider: authorization code with PKCE, state and nonce; the ID token's signature is verified
 * with the provider's keys. Every request of ours goes through the outbound guard. Rejects with the library's errors.
 */
export function createOpenIdSignIn(deps: {
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: string | null;
  readonly redirectUrl: string;
  readonly scope: string;
  readonly allowsHttp: boolean;
  readonly outbound: Outbound;
  now(): number;
}) {
  const { issuer, redirectUrl, now } = deps;
  let discovered: { readonly untilMs: number; readonly configuration: Promise<Configuration> } | undefined;

  function discover(): Promise<Configuration> {
    if (discovered !== undefined && discovered.untilMs > now()) return discovered.configuration;
    const configuration = discovery(
      new URL(issuer),
      deps.clientId,
      undefined,
      deps.clientSecret === null ? None() : authenticateClient(deps.clientSecret),
      {
        [customFetch]: createGuardedFetch(deps.outbound),
        timeout: TIMEOUT_MS / 1_000,
        execute: [enableNonRepudiationChecks, ...(deps.allowsHttp ? [allowInsecureRequests] : [])],
      },
    );
    discovered = { untilMs: now() + DISCOVERED_MS, configuration };
    configuration.catch(() => {
      discovered = undefined;
    });
    return configuration;
  }

  return {
    issuer,

    /** Where the browser goes, and what to keep until it comes back. */
    async begin(): Promise<{ url: string; attempt: Attempt }> {
      const configuration = await discover();
      const attempt = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUrl,
        scope: deps.scope,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, attempt };
    },

    /** Who came back. `query` is that of the callback, with its question mark. */
    async complete(
      query: string,
      attempt: Attempt,
    ): Promise<{ readonly claims: IDToken; fetchUserInfo(): Promise<unknown> }> {
      const configuration = await discover();
      const tokens = await authorizationCodeGrant(configuration, new URL(redirectUrl + query), {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('the identity provider sent no ID token');
      return {
        claims,
        /** Undefined where the provider has no such endpoint. */
        async fetchUserInfo() {
          if (configuration.serverMetadata().userinfo_endpoint === undefined) return undefined;
          return fetchUserInfo(configuration, tokens.access_token, claims.sub);
        },
      };
    },
  };
}

/**
 * Why it failed. `denied`: the provider, or the person there, has refused; `client`: the provider refuses the gateway as its
 * client; `unavailable`: no answer came; `invalid`: what came proves nothing.
 */
export type OpenIdFailure = 'denied' | 'client' | 'unavailable' | 'invalid';

const CLIENT_ERRORS = new Set(['invalid_client', 'unauthorized_client']);

export function judgeOpenIdFailure(thrown: unknown): OpenIdFailure {
  if (thrown instanceof AuthorizationResponseError) {
    if (thrown.error === 'access_denied') return 'denied';
    if (CLIENT_ERRORS.has(thrown.error)) return 'client';
    return thrown.error === 'temporarily_unavailable' ? 'unavailable' : 'invalid';
  }
  if (thrown instanceof ResponseBodyError) return CLIENT_ERRORS.has(thrown.error) ? 'client' : 'invalid';
  for (let error = thrown, depth = 0; error !== undefined && depth < 5; depth += 1) {
    if (error instanceof OutboundError) return error.kind === 'too_large' ? 'invalid' : 'unavailable';
    if (error instanceof Response) return error.status >= 500 ? 'unavailable' : 'invalid';
    error = error instanceof Error ? error.cause : undefined;
  }
  return 'invalid';
}

/** For the log. By code: the library's errors hold responses, which may hold tokens. */
export function describeOpenIdFailure(error: unknown): {
  readonly reason: string;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly detail: string | undefined;
} {
  const textOf = (name: 'code' | 'error') => {
    const value: unknown = error instanceof Error && name in error ? Reflect.get(error, name) : undefined;
    return typeof value === 'string' ? value.slice(0, 100) : undefined;
  };
  return {
    reason: error instanceof Error ? error.name : typeof error,
    code: textOf('code'),
    error: textOf('error'),
    detail: findDetail(error),
  };
}

/** What the library found wrong: fixed texts, which name claims and hold none of their values. */
function findDetail(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const isFixed = cause instanceof Error && cause.name === 'OperationProcessingError';
  return isFixed ? cause.message.slice(0, 200) : undefined;
}

/**
 * The secret in the form where the provider takes it there, since providers differ in how they decode the other way;
 * `client_secret_basic` where it does not say (OpenID Connect Discovery 1.0 section 3).
 */
function authenticateClient(secret: string): ClientAuth {
  const [post, basic] = [ClientSecretPost(secret), ClientSecretBasic(secret)];
  return (server, ...others) => {
    const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false;
    (takesPost ? post : basic)(server, ...others);
  };
}

/** `fetch` as openid-client calls it, by the outbound guard: bounded, to public addresses, without redirects. */
function createGuardedFetch(outbound: Outbound): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const {
      status,
      headers: answered,
      body: bytes,
    } = await outbound.request({
      url,
      method,
      headers,
      ...(body != null && { body: textOf(body) }),
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: RESPONSE_BYTES_MAX,
      ...(signal && { signal }),
    });
    const fields = new Headers();
    for (const [name, value] of Object.entries(answered)) {
      for (const one of [value ?? []].flat()) fields.append(name, one);
    }
    const isBodiless = status === 204 || status === 205 || status === 304;
    return new Response(isBodiless ? null : new Uint8Array(bytes), { status, headers: fields });
  };
}

/** The library sends forms only. */
function textOf(body: unknown): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new TypeError('a body that is no text');
}
