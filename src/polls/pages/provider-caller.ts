import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { RequestLimits } from '../../credentials/calling/api-message.ts';
import type { ConnectionClient } from '../../credentials/calling/connection-client.ts';
import type { ProviderClient } from '../../credentials/calling/provider-client.ts';
import { ClientTokenError, type ClientTokens } from '../../credentials/client/client-tokens.ts';
import type { PageRequest } from './plan-run.ts';
import { PollFailure } from './poll-failure.ts';
import type { ProviderResponse } from './read-response.ts';

/** Asks a connection's provider in the name of the user, or of the integration's client where the resource says so. */
export type ProviderCaller = {
  /** Rejects with PollFailure, OutboundError and refusals of a refresh. */
  send(ask: PageRequest | undefined, limits: RequestLimits): Promise<ProviderResponse>;
  /** Values that must not be shown. */
  secrets(): readonly string[];
};

export type OpenCaller = (connection: ConnectionClient, resource: PollResource) => ProviderCaller;

/** Makes callers, which share the tokens of the integrations' clients. */
export function createOpenCaller({ clientTokens }: { clientTokens: ClientTokens }): OpenCaller {
  return (connection, { clientToken }) => {
    const secrets = new Set<string>();
    const notedTokens: ClientTokens = {
      ...clientTokens,
      async get(asking, scopes) {
        const accessToken = await clientTokens.get(asking, scopes).catch((error: unknown) => {
          throw error instanceof ClientTokenError ? toPollFailure(error) : error;
        });
        secrets.add(accessToken);
        return accessToken;
      },
    };
    const client = clientToken ? connection.asApplication(notedTokens, clientToken.scopes) : connection;
    return {
      async send(ask, limits) {
        if (ask === undefined) {
          throw new PollFailure(
            'request_incomplete',
            'The path of the request names a value that is not known.',
          );
        }
        return send(client, ask, limits);
      },
      secrets: () => [...connection.secrets(), ...secrets],
    };
  };
}

function toPollFailure({ message, isTransient, retryAfterMs }: ClientTokenError): PollFailure {
  const code = isTransient ? 'provider_unavailable' : 'client_token_refused';
  return new PollFailure(code, message, retryAfterMs);
}

async function send(
  client: ProviderClient,
  ask: PageRequest,
  limits: RequestLimits,
): Promise<ProviderResponse> {
  if (ask.kind === 'request') return client.call(ask.request, limits);
  const answer = client.follow(ask.link, ask.request, limits);
  if (answer === undefined) {
    throw new PollFailure('answer_unreadable', 'The next page is at another address than the API.');
  }
  return answer;
}
