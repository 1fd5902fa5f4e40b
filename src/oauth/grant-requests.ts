import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { OutboundResponse } from '../platform/outbound.ts';
import { isOfSameServer } from './discovered-server.ts';
import type { TokenUse } from './token-error.ts';
import { buildExchangeMessage, listSecrets, type Message, type Target } from './token-message.ts';
import { buildFailure, judgeExchange, refusal, type TokenOutcome } from './token-outcome.ts';
import type { IssuedTokens } from './token-response.ts';
import { certified, presentedSecret, resolveAddress, secretsOfClient } from './token-target.ts';
import type { Listening, SendTokenRequest } from './token-transport.ts';

/** What a grant is asked with, and what is done with the tokens that it brings. */
export type GrantAttempt = {
  readonly use: TokenUse;
  readonly template: string | undefined;
  /** What the request carries beside what is the client's and the variables, and no word of the provider may repeat. */
  readonly secrets: readonly string[];
  /** The token that lives on where the answer says so. */
  readonly heldToken?: string;
  build(url: string, secret: string | null): Message;
  onTokens(tokens: IssuedTokens, secret: string | null): Promise<TokenOutcome>;
};

/** Asks token endpoints for tokens, and exchanges those that a provider gives for the ones that are kept. */
export function createGrantRequests(send: SendTokenRequest) {
  /** One grant, with the previous client secret if the provider refuses the newest. */
  async function requestTokens(
    target: Target,
    attempt: GrantAttempt,
    listening: Listening = {},
  ): Promise<TokenOutcome> {
    const url = resolveAddress(attempt.template, target);
    if (url === undefined) return refusal('rejected', 'token_endpoint_unknown');
    if (!isOfSameServer(target.provider, target.variables)) {
      return refusal('invalid_grant', 'authorization_server_changed');
    }
    let outcome: TokenOutcome = refusal('client', 'client_secret_missing');
    for (const [index, secret] of listSecrets(target).entries()) {
      const presented = presentedSecret(target, secret);
      if (presented === undefined) return refusal('client', 'client_key_unusable');
      const judge = (response: OutboundResponse) => judgeGrant(target, attempt, presented, response);
      const sent = await send(certified(target, attempt.build(url, presented)), target.signal, listening);
      if ('error' in sent) {
        return buildFailure(
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
    { use, secrets, heldToken, onTokens }: GrantAttempt,
    secret: string | null,
    response: OutboundResponse,
  ): Promise<TokenOutcome> {
    const hidden = [...secretsOfClient(target), ...secrets, secret];
    const outcome = judgeExchange(target.provider, response, {
      use,
      secrets: hidden,
      ...(heldToken && { heldToken }),
    });
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
    const url = resolveAddress(tokenExchange.url, target);
    if (url === undefined) return refusal('rejected', 'token_endpoint_unknown');
    const message = buildExchangeMessage(url, target, tokenExchange, first.accessToken, secret);
    const sent = await send(certified(target, message), target.signal);
    if ('error' in sent) return buildFailure(sent.error, target.provider);
    const outcome = judgeExchange(exchangingProvider(target.provider), sent.response, {
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

  return { requestTokens, exchangeAccessToken, exchangeAfterRefresh };
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

/** The provider with the paths at which the answer to the second request is read first. */
function exchangingProvider(provider: Provider): Provider {
  const { tokenExchange, tokenResponse } = provider;
  if (tokenExchange === undefined) return provider;
  const accessToken = [tokenExchange.accessToken, ...[tokenResponse.accessToken].flat()];
  const expiresIn = [tokenExchange.expiresIn, ...[tokenResponse.expiresIn].flat()];
  return { ...provider, tokenResponse: { ...tokenResponse, accessToken, expiresIn } };
}

/** The exchanged token with what only the first response had. */
function mergeTokens(first: IssuedTokens, second: IssuedTokens): IssuedTokens {
  return {
    ...second,
    refreshToken: second.refreshToken ?? first.refreshToken,
    scopes: second.scopes ?? first.scopes,
    raw: { ...first.raw, ...second.raw },
  };
}
