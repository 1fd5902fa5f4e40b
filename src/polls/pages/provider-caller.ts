import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { RequestLimits } from '../../credentials/calling/api-message.ts';
import type { ConnectionClient, OwnCalls } from '../../credentials/calling/connection-client.ts';
import { ClientTokenError, type ClientTokens } from '../../credentials/client/client-tokens.ts';
import type { Ask } from './plan-run.ts';
import { PollFailure } from './poll-failure.ts';
import type { ProviderAnswer } from './read-answer.ts';

const UNAUTHORIZED = 401;

/** Asks a connection's provider in the name of the user, or of the integration's client where the resource says so. */
export type Caller = {
  /** Rejects with PollFailure, OutboundError and refusals of a refresh. */
  send(ask: Ask | undefined, limits: RequestLimits): Promise<ProviderAnswer>;
  /** Values that must not be shown. */
  secrets(): readonly string[];
};

export type CallerOf = (connection: ConnectionClient, resource: PollResource) => Caller;

/** Makes callers, which share the tokens of the integrations' clients. */
export function createCallerOf({ clientTokens }: { clientTokens: ClientTokens }): CallerOf {
  return (connection, { clientToken }) => {
    const secrets = new Set<string>();

    async function sendAsClient(
      ask: Ask,
      scopes: readonly string[],
      limits: RequestLimits,
    ): Promise<ProviderAnswer> {
      const accessToken = await clientTokens.get(connection, scopes).catch((error: unknown) => {
        throw error instanceof ClientTokenError ? failureOf(error) : error;
      });
      secrets.add(accessToken);
      const answer = await send(connection.withAccessToken(accessToken), ask, limits);
      if (answer.status === UNAUTHORIZED) clientTokens.forget(connection, scopes, accessToken);
      return answer;
    }

    return {
      async send(ask, limits) {
        if (ask === undefined) {
          throw new PollFailure(
            'request_incomplete',
            'The path of the request names a value that is not known.',
          );
        }
        if (clientToken === undefined) return send(connection, ask, limits);
        const answer = await sendAsClient(ask, clientToken.scopes, limits);
        // Once more with a new token: the provider may have ended the one in memory early.
        return answer.status === UNAUTHORIZED ? sendAsClient(ask, clientToken.scopes, limits) : answer;
      },
      secrets: () => [...connection.secrets(), ...secrets],
    };
  };
}

function failureOf({ message, isTransient, retryAfterMs }: ClientTokenError): PollFailure {
  const code = isTransient ? 'provider_unavailable' : 'client_token_refused';
  return new PollFailure(code, message, retryAfterMs);
}

async function send(calls: OwnCalls, ask: Ask, limits: RequestLimits): Promise<ProviderAnswer> {
  if (ask.kind === 'request') return calls.call(ask.request, limits);
  const answer = calls.follow(ask.link, ask.request, limits);
  if (answer === undefined) {
    throw new PollFailure('answer_unreadable', 'The next page is at another address than the API.');
  }
  return answer;
}
