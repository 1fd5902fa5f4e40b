import type { Provider } from '../catalog/provider.schema.ts';
import { resolveUrl } from '../catalog/resolve-url.ts';
import { type Outbound, OutboundError, type OutboundResponse } from '../platform/outbound.ts';
import { joinScopes } from './authorization-request.ts';
import { signClientAssertion } from './client-assertion.ts';
import { tokenToRevoke } from './revocation.ts';
import {
  exchangeMessage,
  type Message,
  renewalMessage,
  revocationMessage,
  revocationSecretsOf,
  secretsOf,
  type Target,
  tokenMessage,
  valuesOf,
} from './token-message.ts';
import {
  judged,
  judgedRevocation,
  type RevocationOutcome,
  refusal,
  type TokenFailure,
  type TokenOutcome,
  UNSUPPORTED,
  unreached,
} from './token-outcome.ts';
import type { IssuedTokens } from './token-response.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 64 * 1024;
export type CodeExchange = Target & {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string | null;
};
export type TokenRefresh = Target & { readonly refreshToken: string };
export type TokenRenewal = Target & { readonly accessToken: string };
export type ClientCredentialsRequest = Target & { readonly scopes: readonly string[] };
export type TokenRevocation = Target & {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
};

export type TokenEndpoint = ReturnType<typeof createTokenEndpoint>;

/**
 * Talks to token and revocation endpoints: every request takes 10 s and 64 KiB at most, follows no redirect, and comes
 * back as an outcome. Nothing is thrown for what a provider or a network does; a bug of ours still throws.
 */
export function createTokenEndpoint(deps: { readonly outbound: Outbound; readonly timeoutMs?: number }) {
  const timeoutMs = deps.timeoutMs ?? TIMEOUT_MS;

  async function send(
    message: Message,
    signal: AbortSignal | undefined,
  ): Promise<OutboundResponse | TokenFailure> {
    try {
      const limits = { timeoutMs, responseBytesMax: RESPONSE_BYTES_MAX, ...(signal && { signal }) };
      return await deps.outbound.request({ ...message, ...limits });
    } catch (error) {
      if (error instanceof OutboundError) return unreached(error);
      throw error;
    }
  }

  /** One grant, with the previous client secret if the provider refuses the newest. */
  async function requestTokens(
    target: Target,
    template: string | undefined,
    build: (url: string, secret: string | null) => Message,
    then: (tokens: IssuedTokens, secret: string | null) => Promise<TokenOutcome>,
  ): Promise<TokenOutcome> {
    const url = addressOf(template, target);
    if (url === undefined) return refusal('rejected', 'token_endpoint_unknown');
    let outcome: TokenOutcome = refusal('client', 'client_secret_missing');
    for (const secret of secretsOf(target)) {
      const presented = presentedSecret(target, secret);
      if (presented === undefined) return refusal('client', 'client_key_unusable');
      const response = await send(build(url, presented), target.signal);
      outcome = 'ok' in response ? response : judged(target.provider, response);
      if (outcome.ok) return then(outcome.tokens, presented);
      if (outcome.kind !== 'client') return outcome;
    }
    return outcome;
  }

  /** The token that is kept, where the provider has a second request for it. */
  async function exchanged(
    target: Target,
    first: IssuedTokens,
    secret: string | null,
  ): Promise<TokenOutcome> {
    const { tokenExchange } = target.provider;
    if (tokenExchange === undefined) return { ok: true, tokens: first };
    const url = addressOf(tokenExchange.url, target);
    if (url === undefined) return refusal('rejected', 'token_endpoint_unknown');
    const message = exchangeMessage(url, target, tokenExchange, first.accessToken, secret);
    const response = await send(message, target.signal);
    const outcome = 'ok' in response ? response : judged(exchangingProvider(target.provider), response);
    return outcome.ok ? { ok: true, tokens: laidOver(first, outcome.tokens) } : outcome;
  }

  /** After a refresh, a token that could not be exchanged must not cost the refresh token that came with it. */
  async function exchangedAgain(target: Target, first: IssuedTokens, secret: string | null) {
    const outcome = await exchanged(target, first, secret);
    const isPassing = !outcome.ok && outcome.kind === 'transient';
    return isPassing ? { ok: true as const, tokens: { ...first, expiresInSeconds: 1 } } : outcome;
  }

  const asIssued = async (tokens: IssuedTokens): Promise<TokenOutcome> => ({ ok: true, tokens });

  return {
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
      return requestTokens(
        exchange,
        provider.tokenUrl,
        (url, secret) => tokenMessage(url, { ...exchange, redirectUrl: redirectUri }, grant, secret),
        (tokens, secret) => exchanged(exchange, tokens, secret),
      );
    },

    /** RFC 6749 section 6. An answer without a refresh token leaves the old one in force. */
    refresh(refresh: TokenRefresh): Promise<TokenOutcome> {
      const { provider, refreshToken } = refresh;
      const registered = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const grant = { use: 'refresh', registered, own: provider.refreshParams } as const;
      return requestTokens(
        refresh,
        provider.refreshUrl ?? provider.tokenUrl,
        (url, secret) => tokenMessage(url, refresh, grant, secret),
        (tokens, secret) =>
          provider.tokenExchange?.afterRefresh ? exchangedAgain(refresh, tokens, secret) : asIssued(tokens),
      );
    },

    /** A longer life for an access token that is still valid, at providers without refresh tokens. */
    renew(renewal: TokenRenewal): Promise<TokenOutcome> {
      const { provider, accessToken } = renewal;
      return requestTokens(
        renewal,
        provider.refreshUrl ?? provider.tokenUrl,
        (url, secret) => renewalMessage(url, renewal, accessToken, secret),
        asIssued,
      );
    },

    /** RFC 6749 section 4.4. */
    clientCredentials(request: ClientCredentialsRequest): Promise<TokenOutcome> {
      const { provider } = request;
      const scope = joinScopes(provider, request.scopes);
      const registered = { grant_type: 'client_credentials', ...(scope !== '' && { scope }) };
      const grant = { use: 'issue', registered, own: provider.tokenParams } as const;
      return requestTokens(
        request,
        provider.tokenUrl,
        (url, secret) => tokenMessage(url, request, grant, secret),
        (tokens, secret) => exchanged(request, tokens, secret),
      );
    },

    /** RFC 7009, in the provider's manner. A token that is unknown or dead already counts as revoked. */
    async revoke(revocation: TokenRevocation): Promise<RevocationOutcome> {
      const { provider } = revocation;
      const token = tokenToRevoke(provider, revocation);
      if (provider.revocationUrl === undefined || token === undefined) return UNSUPPORTED;
      const url = addressOf(provider.revocationUrl, revocation);
      if (url === undefined) return refusal('rejected', 'revocation_endpoint_unknown');
      let outcome: RevocationOutcome = refusal('client', 'client_secret_missing');
      for (const secret of revocationSecretsOf(revocation)) {
        const presented = presentedSecret(revocation, secret);
        if (presented === undefined) return refusal('client', 'client_key_unusable');
        const message = revocationMessage(url, revocation, token, presented);
        const response = await send(message, revocation.signal);
        outcome = 'ok' in response ? response : judgedRevocation(provider, response);
        if (outcome.ok || outcome.kind !== 'client') return outcome;
      }
      return outcome;
    },
  };
}

function addressOf(template: string | undefined, target: Target): string | undefined {
  if (template === undefined) return undefined;
  const resolved = resolveUrl(template, target.provider, valuesOf(target));
  return resolved.ok ? resolved.url : undefined;
}

/** What is sent as the secret: itself, or an assertion signed with it. Undefined where it is no such key. */
function presentedSecret(target: Target, secret: string | null): string | null | undefined {
  const { clientAssertion, tokenUrl } = target.provider;
  if (clientAssertion === undefined || secret === null) return secret;
  const values = { ...valuesOf(target), tokenUrl: addressOf(tokenUrl, target) ?? '' };
  return signClientAssertion(clientAssertion, secret, values, Date.now());
}

/** The provider with the paths at which the answer to the second request is read first. */
function exchangingProvider(provider: Provider): Provider {
  const { tokenExchange, tokenResponse } = provider;
  if (tokenExchange === undefined) return provider;
  const accessToken = [tokenExchange.accessToken, ...[tokenResponse.accessToken].flat()];
  const expiresIn = [tokenExchange.expiresIn, ...[tokenResponse.expiresIn].flat()];
  return { ...provider, tokenResponse: { ...tokenResponse, accessToken, expiresIn } };
}

function laidOver(first: IssuedTokens, second: IssuedTokens): IssuedTokens {
  return {
    ...second,
    refreshToken: second.refreshToken ?? first.refreshToken,
    scopes: second.scopes ?? first.scopes,
    raw: { ...first.raw, ...second.raw },
  };
}
