import type { IncomingHttpHeaders } from 'node:http';
import type { Provider } from '../catalog/provider.schema.ts';
import { resolveUrl } from '../catalog/resolve-url.ts';
import { type Outbound, OutboundError, type OutboundResponse } from '../platform/outbound.ts';
import { filledParameters, joinScopes } from './authorization-request.ts';
import {
  type Message,
  type OAuthClient,
  type Parameters,
  type RevocableToken,
  revocationMessage,
  secretsOf,
  type Target,
  tokenMessage,
} from './token-message.ts';
import { judgeTokenResponse, type TokenFailureKind, type TokenJudgement } from './token-response.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 64 * 1024;
/** Longer waits than a day are no advice for a token request. */
const RETRY_AFTER_MS_MAX = 24 * 60 * 60 * 1000;

export type { OAuthClient };

export type CodeExchange = Target & {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string | null;
};
export type TokenRefresh = Target & { readonly refreshToken: string };
export type ClientCredentialsRequest = Target & { readonly scopes: readonly string[] };
export type TokenRevocation = Target & {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
};

export type TokenFailure = {
  readonly ok: false;
  readonly kind: TokenFailureKind;
  /** Short and plain, safe to log and to show. */
  readonly errorCode: string;
  /** How long the provider asks to wait (`Retry-After`). */
  readonly retryAfterMs?: number;
  /** True where no answer came, but the provider may have acted: a one-use token may be spent. */
  readonly mayHaveBeenProcessed: boolean;
};

export type TokenOutcome = Extract<TokenJudgement, { ok: true }> | TokenFailure;

export type RevocationOutcome = { readonly ok: true } | TokenFailure | RevocationUnsupported;
export type RevocationUnsupported = {
  readonly ok: false;
  readonly kind: 'unsupported';
  readonly errorCode: string;
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
      return await deps.outbound.request({ ...message, method: 'POST', ...limits });
    } catch (error) {
      if (error instanceof OutboundError) return unreached(error);
      throw error;
    }
  }

  /** One grant, with the previous client secret if the provider refuses the newest. */
  async function requestTokens(
    target: Target,
    template: string | undefined,
    grant: Parameters,
  ): Promise<TokenOutcome> {
    const url = template === undefined ? undefined : resolveUrl(template, target.provider, target.variables);
    if (url === undefined || !url.ok) return refusal('rejected', 'token_endpoint_unknown');
    let outcome: TokenOutcome = refusal('client', 'client_secret_missing');
    for (const secret of secretsOf(target)) {
      const message = tokenMessage(url.url, target, grant, secret);
      const response = await send(message, target.signal);
      outcome = 'ok' in response ? response : judged(target.provider, response);
      if (outcome.ok || outcome.kind !== 'client') return outcome;
    }
    return outcome;
  }

  return {
    /** Authorization code for tokens (RFC 6749 section 4.1.3). The code is spent by the provider whatever comes back. */
    exchangeCode(exchange: CodeExchange): Promise<TokenOutcome> {
      return requestTokens(exchange, exchange.provider.tokenUrl, {
        grant_type: 'authorization_code',
        code: exchange.code,
        redirect_uri: exchange.redirectUri,
        ...(exchange.codeVerifier !== null && { code_verifier: exchange.codeVerifier }),
        ...filledParameters(exchange.provider.tokenParams, exchange.variables),
      });
    },

    /** RFC 6749 section 6. An answer without a refresh token leaves the old one in force. */
    refresh(refresh: TokenRefresh): Promise<TokenOutcome> {
      return requestTokens(refresh, refresh.provider.refreshUrl ?? refresh.provider.tokenUrl, {
        grant_type: 'refresh_token',
        refresh_token: refresh.refreshToken,
        ...filledParameters(refresh.provider.refreshParams, refresh.variables),
      });
    },

    /** RFC 6749 section 4.4. */
    clientCredentials(request: ClientCredentialsRequest): Promise<TokenOutcome> {
      const scope = joinScopes(request.provider, request.scopes);
      return requestTokens(request, request.provider.tokenUrl, {
        grant_type: 'client_credentials',
        ...(scope !== '' && { scope }),
        ...filledParameters(request.provider.tokenParams, request.variables),
      });
    },

    /** RFC 7009, in the provider's manner. A token that is unknown or dead already counts as revoked. */
    async revoke(revocation: TokenRevocation): Promise<RevocationOutcome> {
      const { provider, variables } = revocation;
      const token = tokenToRevoke(revocation);
      if (provider.revocationUrl === undefined || token === undefined) return unsupported();
      const url = resolveUrl(provider.revocationUrl, provider, variables);
      if (!url.ok) return refusal('rejected', 'revocation_endpoint_unknown');
      let outcome: RevocationOutcome = refusal('client', 'client_secret_missing');
      const needsClient = provider.revocation.clientAuth === 'client';
      for (const secret of needsClient ? secretsOf(revocation) : [null]) {
        const response = await send(revocationMessage(url.url, revocation, token, secret), revocation.signal);
        outcome = 'ok' in response ? response : judgedRevocation(provider, response);
        if (outcome.ok || outcome.kind !== 'client') return outcome;
      }
      return outcome;
    },
  };
}

function tokenToRevoke({ provider, accessToken, refreshToken }: TokenRevocation): RevocableToken | undefined {
  const preferRefresh = provider.revocation.token === 'refresh_token';
  if (preferRefresh && refreshToken !== null) return { token: refreshToken, accessToken };
  return accessToken === null ? undefined : { token: accessToken, accessToken };
}

function judged(provider: Provider, response: OutboundResponse): TokenOutcome {
  const judgement = judgeTokenResponse(provider, response.status, response.headers, response.body);
  if (judgement.ok) return judgement;
  return { ...refusal(judgement.kind, judgement.errorCode), ...retryAfter(response.headers) };
}

/** Codes by which providers say that there is nothing left to revoke. */
const ALREADY_REVOKED = new Set([
  'invalid_token',
  'token_revoked',
  'token_expired',
  'invalid_grant',
  'invalid_auth',
]);

function judgedRevocation(provider: Provider, response: OutboundResponse): RevocationOutcome {
  const judgement = judgeTokenResponse(provider, response.status, response.headers, response.body);
  const isSuccess = response.status >= 200 && response.status < 300;
  if (judgement.ok) return { ok: true };
  if (isSuccess && REVOCATION_NOISE.has(judgement.errorCode)) return { ok: true };
  if (ALREADY_REVOKED.has(judgement.errorCode)) return { ok: true };
  return { ...refusal(judgement.kind, judgement.errorCode), ...retryAfter(response.headers) };
}

/** What is wrong with a token response is right for a revocation: its body means nothing (RFC 7009 section 2.2). */
const REVOCATION_NOISE = new Set([
  'missing_access_token',
  'invalid_access_token',
  'unsupported_token_type',
  'unreadable_response',
]);

function unreached(error: OutboundError): TokenFailure {
  const { kind, mayHaveBeenProcessed } = error;
  // An address that is refused now will be refused next time: that is configuration, not weather.
  const isFinal = kind === 'invalid_url' || kind === 'refused_address';
  const errorCode = kind === 'too_large' ? 'response_too_large' : `connection_${kind}`;
  return { ...refusal(isFinal ? 'rejected' : 'transient', errorCode), mayHaveBeenProcessed };
}

function refusal(kind: TokenFailureKind, errorCode: string): TokenFailure {
  return { ok: false, kind, errorCode, mayHaveBeenProcessed: false };
}

function unsupported(): RevocationUnsupported {
  return { ok: false, kind: 'unsupported', errorCode: 'revocation_unsupported' };
}

/** Seconds or an HTTP date (RFC 9110 section 10.2.3). */
function retryAfter(headers: IncomingHttpHeaders): { retryAfterMs?: number } {
  const value = headers['retry-after'];
  if (value === undefined) return {};
  const waitMs = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return waitMs > 0 ? { retryAfterMs: Math.min(waitMs, RETRY_AFTER_MS_MAX) } : {};
}
