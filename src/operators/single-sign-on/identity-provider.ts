import {
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
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { z } from 'zod';
import type { Outbound } from '../../platform/outbound.ts';
import type { Identity } from '../accounts/identities.store.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 256 * 1024;
/** Keys and endpoints of an identity provider change seldom. */
const DISCOVERED_MS = 60 * 60_000;
const SCOPE = 'openid email profile';

/** What proves at the callback that the answer belongs to this browser's request. */
export const attemptSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });
export type Attempt = z.output<typeof attemptSchema>;

/** Whom the identity provider has signed in. */
export type Person = Identity & {
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly name: string | undefined;
};

/** Both in the ID token and in what the UserInfo endpoint answers; some providers send the flag as a text. */
const claimsSchema = z.object({
  email: z.email().max(254).optional().catch(undefined),
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  name: z.string().optional().catch(undefined),
});

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/**
 * Signing in at an OpenID provider: authorization code with PKCE, state and nonce; the ID token's signature is verified
 * with the provider's keys. Every request of ours goes through the outbound guard. Rejects with the library's errors.
 */
export function createIdentityProvider(deps: {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUrl: string;
  allowsHttp: boolean;
  outbound: Outbound;
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
      authenticateClient(deps.clientSecret),
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
        scope: SCOPE,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, attempt };
    },

    /** Who came back. `query` is that of the callback, with its question mark. */
    async complete(query: string, attempt: Attempt): Promise<Person> {
      const configuration = await discover();
      const tokens = await authorizationCodeGrant(configuration, new URL(redirectUrl + query), {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.verifier,
        idTokenExpected: true,
      });
      const idToken = tokens.claims();
      if (idToken === undefined) throw new Error('the identity provider sent no ID token');
      let claims = claimsSchema.parse(idToken);
      if (claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined) {
        claims = claimsSchema.parse(await fetchUserInfo(configuration, tokens.access_token, idToken.sub));
      }
      return {
        issuer: idToken.iss,
        subject: idToken.sub,
        email: claims.email,
        isEmailVerified: claims.email_verified === true,
        name: claims.name,
      };
    },
  };
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
