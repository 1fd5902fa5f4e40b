import { createStandIns } from '../../catalog/facts/placeholders.ts';
import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { ConnectionClient } from '../../credentials/calling/connection-client.ts';
import { createTokenEndpoint } from '../../oauth/token-endpoint.ts';
import { OutboundError, type OutboundRequest } from '../../platform/outbound.ts';
import type { Shown } from './show-request.ts';

/**
 * The request for a token of the integration's client, with stand-ins for what is secret, by the function that sends it;
 * empty where the resource needs none. Sends nothing.
 */
export async function showTokenRequest(
  connection: ConnectionClient,
  { clientToken }: PollResource,
): Promise<Shown[]> {
  if (clientToken === undefined) return [];
  const standIns = createStandIns();
  const built: OutboundRequest[] = [];
  const endpoint = createTokenEndpoint({
    outbound: {
      request(message) {
        built.push(message);
        return Promise.reject(new OutboundError('aborted', 'only shown', false));
      },
    },
  });
  const target = connection.tokenTarget();
  const secretVariables = Object.fromEntries(
    Object.keys(target.client.secretVariables ?? {}).map((name) => [name, standIns.of(name)]),
  );
  const client = {
    clientId: target.client.clientId,
    clientSecrets: [standIns.of('clientSecret')],
    secretVariables,
  };
  await endpoint.clientCredentials({ ...target, client, scopes: clientToken.scopes });
  return built.map(({ method = 'GET', url, headers = {}, body }) => ({
    method,
    url: standIns.reveal(url),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, standIns.reveal(value)]),
    ),
    body: body === undefined ? null : standIns.reveal(body.toString()),
    purpose: 'token',
    status: null,
    error: null,
  }));
}
