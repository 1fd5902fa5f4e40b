import { ClientCertificate } from '../platform/client-certificate.ts';
import type { Outbound } from '../platform/outbound.ts';
import { joinScopes } from './authorization-request.ts';
import { createGrantRequests, type GrantAttempt } from './grant-requests.ts';
import { createLogin } from './login.ts';
import type { RevocationRequest } from './revocation.ts';
import { buildRenewalMessage, buildTokenMessage, type Target } from './token-message.ts';
import {
  buildFailure,
  judgeRevocationResponse,
  type RevocationOutcome,
  refusal,
  type TokenOutcome,
} from './token-outcome.ts';
import type { IssuedTokens } from './token-response.ts';
import { createTokenTransport, type Listening } from './token-transport.ts';

const TIMEOUT_MS = 10_000;

export type CodeExchange = Target & {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string | null;
};
export type TokenRefresh = Target & {
  readonly refreshToken: string;
  /** The token in use, which stays where the provider's refreshes prolong it. */
  readonly accessToken?: string;
};
export type TokenRenewal = Target & { readonly accessToken: string };
export type ClientCredentialsRequest = Target & { readonly scopes: readonly string[] };
export type TokenEndpoint = ReturnType<typeof createTokenEndpoint>;

/**
 * Talks to token and revocation endpoints: every request takes 10 s and 64 KiB at most, follows no redirect, and comes
 * back as an outcome. Nothing is thrown for what a provider or a network does; a bug of ours still throws.
 */
export function createTokenEndpoint(deps: { readonly outbound: Outbound; readonly timeoutMs?: number }) {
  const send = createTokenTransport({ outbound: deps.outbound, timeoutMs: deps.timeoutMs ?? TIMEOUT_MS });
  const { requestTokens, exchangeAccessToken, exchangeAfterRefresh } = createGrantRequests(send);

  const asIssued = async (tokens: IssuedTokens): Promise<TokenOutcome> => ({ ok: true, tokens });

  return {
    ...createLogin(deps),

    /** Authorization code for tokens (RFC 6749 section 4.1.3). The code is spent by the provider whatever comes back. */
    exchangeCode(exchange: CodeExchange): Promise<TokenOutcome> {
      const { provider, code, redirectUri, codeVerifier } = exchange;
      const registered = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        ...(codeVerifier !== null && { code_verifier: codeVerifier }),
      };
      const grant = { use: 'issue', registered, own: provider.tokenParams } as const;
      return requestTokens(exchange, {
        use: 'issue',
        template: provider.tokenUrl,
        secrets: [code, ...(codeVerifier === null ? [] : [codeVerifier])],
        build: (url, secret) =>
          buildTokenMessage(url, { ...exchange, redirectUrl: redirectUri }, grant, secret),
        onTokens: (tokens, secret) => exchangeAccessToken(exchange, tokens, secret),
      });
    },

    /** RFC 6749 section 6. An answer without a refresh token leaves the old one in force. */
    refresh(refresh: TokenRefresh, listening?: Listening): Promise<TokenOutcome> {
      const { provider, refreshToken, accessToken } = refresh;
      const heldToken = provider.tokenResponse.prolonged && accessToken;
      const registered = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const grant = { use: 'refresh', registered, own: provider.refreshParams } as const;
      const attempt: GrantAttempt = {
        use: 'refresh',
        template: provider.refreshUrl ?? provider.tokenUrl,
        secrets: [refreshToken],
        ...(heldToken && { heldToken }),
        build: (url, secret) => buildTokenMessage(url, refresh, grant, secret),
        onTokens: (tokens, secret) =>
          provider.tokenExchange?.afterRefresh
            ? exchangeAfterRefresh(refresh, tokens, secret)
            : asIssued(tokens),
      };
      return requestTokens(refresh, attempt, listening);
    },

    /** A longer life for an access token that is still valid, at providers without refresh tokens. */
    renew(renewal: TokenRenewal): Promise<TokenOutcome> {
      const { provider, accessToken } = renewal;
      return requestTokens(renewal, {
        use: 'refresh',
        template: provider.refreshUrl ?? provider.tokenUrl,
        secrets: [accessToken],
        build: (url, secret) => buildRenewalMessage(url, renewal, accessToken, secret),
        onTokens: asIssued,
      });
    },

    /** RFC 6749 section 4.4. */
    clientCredentials(request: ClientCredentialsRequest): Promise<TokenOutcome> {
      const { provider } = request;
      const scope = joinScopes(provider, request.scopes);
      const registered = { grant_type: 'client_credentials', ...(scope !== '' && { scope }) };
      const grant = { use: 'issue', registered, own: provider.tokenParams } as const;
      return requestTokens(request, {
        use: 'issue',
        template: provider.tokenUrl,
        secrets: [],
        build: (url, secret) => buildTokenMessage(url, request, grant, secret),
        onTokens: (tokens, secret) => exchangeAccessToken(request, tokens, secret),
      });
    },

    /** Sends a revocation. A token that is unknown or dead already counts as revoked (RFC 7009 section 2.2). */
    async revoke(request: RevocationRequest, signal?: AbortSignal): Promise<RevocationOutcome> {
      let outcome: RevocationOutcome = refusal('client', 'client_secret_missing');
      const { clientCertificate: pem } = request;
      const certificate = pem && { clientCertificate: new ClientCertificate(pem) };
      for (const { body, ...message } of request.messages) {
        const sent = await send({ ...message, ...(body !== undefined && { body }), ...certificate }, signal);
        outcome =
          'error' in sent ? buildFailure(sent.error) : judgeRevocationResponse(request, sent.response);
        if (outcome.ok || outcome.kind !== 'client') return outcome;
      }
      return outcome;
    },
  };
}
