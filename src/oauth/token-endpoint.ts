import { withClientCertificate } from '../catalog/facts/client-certificate.ts';
import { expandPastedValues } from '../catalog/facts/pasted-values.ts';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { ClientCertificate } from '../platform/client-certificate.ts';
import { type Outbound, OutboundError, type OutboundResponse } from '../platform/outbound.ts';
import { BODY_BYTES_MAX } from './answer-body.ts';
import { joinScopes } from './authorization-request.ts';
import { signClientAssertion } from './client-assertion.ts';
import { isOfSameServer } from './discovered-server.ts';
import { createLogin, prepareLogout } from './login.ts';
import { certificateToKeep, type RevocationRequest, tokenToRevoke } from './revocation.ts';
import { secretsIn } from './secret-values.ts';
import type { TokenUse } from './token-error.ts';
import {
  buildExchangeMessage,
  buildRenewalMessage,
  buildRevocationMessage,
  buildTokenMessage,
  type Message,
  revocationSecretsOf,
  secretsOf,
  type Target,
  valuesOf,
} from './token-message.ts';
import {
  failureOf,
  judgeAnswer,
  judgeRevocationAnswer,
  type RevocationOutcome,
  refusal,
  type TokenOutcome,
} from './token-outcome.ts';
import type { IssuedTokens } from './token-response.ts';

const TIMEOUT_MS = 10_000;

export type CodeExchange = Target & {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string | null;
};
export type TokenRefresh = Target & { readonly refreshToken: string };
export type TokenRenewal = Target & { readonly accessToken: string };
export type Listening = {
  /** How long a request that timed out is listened to, in milliseconds; left out: not at all. */
  readonly lateAnswerMs?: number;
  /** Called before the first byte may go out. */
  readonly noteSending?: () => void;
};
export type ClientCredentialsRequest = Target & { readonly scopes: readonly string[] };
export type TokenRevocation = Target & {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
};

export type TokenEndpoint = ReturnType<typeof createTokenEndpoint>;

type Sent =
  | { readonly response: OutboundResponse }
  | { readonly error: OutboundError; readonly late: Promise<OutboundResponse | undefined> | undefined };

/** What a grant is asked with, and what is done with the tokens that it brings. */
type GrantAttempt = {
  readonly use: TokenUse;
  readonly template: string | undefined;
  /** What the request carries beside what is the client's and the variables, and no word of the provider may repeat. */
  readonly secrets: readonly string[];
  build(url: string, secret: string | null): Message;
  onTokens(tokens: IssuedTokens, secret: string | null): Promise<TokenOutcome>;
};

/**
 * Talks to token and revocation endpoints: every request takes 10 s and 64 KiB at most, follows no redirect, and comes
 * back as an outcome. Nothing is thrown for what a provider or a network does; a bug of ours still throws.
 */
export function createTokenEndpoint(deps: { readonly outbound: Outbound; readonly timeoutMs?: number }) {
  const timeoutMs = deps.timeoutMs ?? TIMEOUT_MS;

  async function send(
    message: CertifiedMessage,
    signal?: AbortSignal,
    { lateAnswerMs, noteSending }: Listening = {},
  ): Promise<Sent> {
    const late = Promise.withResolvers<OutboundResponse | undefined>();
    const lateAnswer = lateAnswerMs !== undefined && {
      lateAnswer: {
        withinMs: lateAnswerMs,
        onAnswer: (response: OutboundResponse) => late.resolve(response),
        onLost: () => late.resolve(undefined),
      },
    };
    const limits = { timeoutMs, responseBytesMax: BODY_BYTES_MAX, ...(signal && { signal }) };
    // What has come of an answer tells more than that it was too large, or broke off.
    const cuts = { isCutWhereTooLarge: true, isCutTaken: true };
    noteSending?.();
    try {
      return { response: await deps.outbound.request({ ...message, ...limits, ...cuts, ...lateAnswer }) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const isOpen = lateAnswer !== false && error.kind === 'timeout' && error.mayHaveBeenProcessed;
      return { error, late: isOpen ? late.promise : undefined };
    }
  }

  /** One grant, with the previous client secret if the provider refuses the newest. */
  async function requestTokens(
    target: Target,
    attempt: GrantAttempt,
    listening: Listening = {},
  ): Promise<TokenOutcome> {
    const url = addressOf(attempt.template, target);
    if (url === undefined) return refusal('rejected', 'token_endpoint_unknown');
    if (!isOfSameServer(target.provider, target.variables)) {
      return refusal('invalid_grant', 'authorization_server_changed');
    }
    let outcome: TokenOutcome = refusal('client', 'client_secret_missing');
    for (const [index, secret] of secretsOf(target).entries()) {
      const presented = presentedSecret(target, secret);
      if (presented === undefined) return refusal('client', 'client_key_unusable');
      const judge = (response: OutboundResponse) => judgeGrant(target, attempt, presented, response);
      const sent = await send(certified(target, attempt.build(url, presented)), target.signal, listening);
      if ('error' in sent) {
        return failureOf(
          sent.error,
          target.provider,
          sent.late?.then((response) => response && judge(response)),
        );
      }
      outcome = await judge(sent.response);
      if (secret !== null) noteVerdict(target, index, outcome);
      if (outcome.ok || outcome.kind !== 'client') return outcome;
    }
    return outcome;
  }

  async function judgeGrant(
    target: Target,
    { use, secrets, onTokens }: GrantAttempt,
    secret: string | null,
    response: OutboundResponse,
  ): Promise<TokenOutcome> {
    const hidden = [...secretsOfClient(target), ...secrets, secret];
    const outcome = judgeAnswer(target.provider, response, { use, secrets: hidden });
    return outcome.ok ? onTokens(outcome.tokens, secret) : outcome;
  }

  /** The token that is kept, where the provider has a second request for it. */
  async function exchangeAccessToken(
    target: Target,
    first: IssuedTokens,
    secret: string | null,
  ): Promise<TokenOutcome> {
    const { tokenExchange } = target.provider;
    if (tokenExchange === undefined) return { ok: true, tokens: first };
    const url = addressOf(tokenExchange.url, target);
    if (url === undefined) return refusal('rejected', 'token_endpoint_unknown');
    const message = buildExchangeMessage(url, target, tokenExchange, first.accessToken, secret);
    const sent = await send(certified(target, message), target.signal);
    if ('error' in sent) return failureOf(sent.error, target.provider);
    const outcome = judgeAnswer(exchangingProvider(target.provider), sent.response, {
      use: 'issue',
      secrets: [...secretsOfClient(target), first.accessToken, first.refreshToken, secret],
    });
    return outcome.ok ? { ok: true, tokens: mergeTokens(first, outcome.tokens) } : outcome;
  }

  /** After a refresh, a token that could not be exchanged must not cost the refresh token that came with it. */
  async function exchangeAfterRefresh(target: Target, first: IssuedTokens, secret: string | null) {
    const outcome = await exchangeAccessToken(target, first, secret);
    const isGrantDead = !outcome.ok && outcome.kind === 'invalid_grant';
    return !outcome.ok && !isGrantDead
      ? { ok: true as const, tokens: { ...first, expiresInSeconds: 1 } }
      : outcome;
  }

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
      const { provider, refreshToken } = refresh;
      const registered = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const grant = { use: 'refresh', registered, own: provider.refreshParams } as const;
      const attempt: GrantAttempt = {
        use: 'refresh',
        template: provider.refreshUrl ?? provider.tokenUrl,
        secrets: [refreshToken],
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
        outcome = 'error' in sent ? failureOf(sent.error) : judgeRevocationAnswer(request, sent.response);
        if (outcome.ok || outcome.kind !== 'client') return outcome;
      }
      return outcome;
    },
  };
}

/**
 * A revocation in the provider's manner (RFC 7009), ready to be sent; undefined where the provider takes no token back,
 * there is none, or its address lacks a variable.
 */
export function prepareRevocation(revocation: TokenRevocation): RevocationRequest | undefined {
  const { provider } = revocation;
  if (provider.logout !== undefined) return prepareLogout(provider.logout, revocation);
  const token = tokenToRevoke(provider, revocation);
  const url = addressOf(provider.revocationUrl, revocation);
  if (token === undefined || url === undefined) return undefined;
  if (!isOfSameServer(provider, revocation.variables)) return undefined;
  const { errorCode, errorMeanings, okMember } = provider.tokenResponse;
  return {
    messages: revocationSecretsOf(revocation).flatMap((secret) => {
      const presented = presentedSecret(revocation, secret);
      return presented === undefined ? [] : [buildRevocationMessage(url, revocation, token, presented)];
    }),
    reading: { errorCode, errorMeanings, ...(okMember && { okMember }) },
    ...certificateToKeep(provider, valuesOf(revocation)),
  };
}

/** What any request to the provider may carry. */
function secretsOfClient(target: Target): string[] {
  return [...secretsIn(target.provider, valuesOf(target)), ...target.client.clientSecrets];
}

type CertifiedMessage = Message & { readonly clientCertificate?: ClientCertificate };

/** A message to the token or revocation endpoint with the certificate that is shown there. */
function certified(target: Target, message: Message): CertifiedMessage {
  return withClientCertificate(message, target.provider, 'token', valuesOf(target));
}

/**
 * Who authenticates is judged before what is granted (RFC 6749 section 3.2.1), so that a refused grant proves the
 * secret. Some refusals of the client are about what it may do, or about its redirect URL.
 */
function noteVerdict({ client }: Target, secretIndex: number, outcome: TokenOutcome): void {
  if (outcome.ok || outcome.kind === 'invalid_grant') client.noteVerdict?.(secretIndex, 'worked');
  else if (outcome.kind === 'client' && !/unauthorized_client|redirect/.test(outcome.errorCode))
    client.noteVerdict?.(secretIndex, 'refused');
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
  const known = expandPastedValues(target.provider, valuesOf(target));
  const values = templateValues({
    connection: known,
    gateway: { tokenUrl: addressOf(tokenUrl, target) ?? '' },
  });
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

/** The exchanged token with what only the first answer told. */
function mergeTokens(first: IssuedTokens, second: IssuedTokens): IssuedTokens {
  return {
    ...second,
    refreshToken: second.refreshToken ?? first.refreshToken,
    scopes: second.scopes ?? first.scopes,
    raw: { ...first.raw, ...second.raw },
  };
}
