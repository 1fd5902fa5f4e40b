import { clientValues } from '../../catalog/facts/client-values.ts';
import { templateValues } from '../../catalog/facts/template-values.ts';
import { HttpError } from '../../http/errors.ts';
import type { Outbound, OutboundResponse } from '../../platform/outbound.ts';
import type { ClientTokens } from '../client/client-tokens.ts';
import type { IntegrationClient } from '../client/integration-client.ts';
import { type ApiRequest, buildApiMessage, type RequestLimits } from './api-message.ts';
import { applicationOf } from './warm-connection.ts';

const UNAUTHORIZED = 401;

/** An integration's own application at its provider, without any user. */
export type OwnApplication = {
  /** One request with a token of the client, and one more with a new one where the provider refuses it. */
  call(request: ApiRequest, limits: RequestLimits): Promise<OutboundResponse>;
  /** The same for a whole address. Undefined where it is at another origin than the API, which must not see the token. */
  follow(link: string, request: ApiRequest, limits: RequestLimits): Promise<OutboundResponse> | undefined;
};

export type OpenApplication = (
  owner: { readonly integrationId: string; readonly projectId: string },
  scopes: readonly string[],
) => Promise<OwnApplication>;

/**
 * Opens integrations' applications for calls with tokens of their clients. Opening throws `integration_not_found`, and
 * `integration_misconfigured` where the API has another address for each connection; calls reject with ClientTokenError
 * and OutboundError.
 */
export function createOpenApplication(deps: {
  outbound: Outbound;
  client: Pick<IntegrationClient, 'findTarget' | 'clientOf'>;
  clientTokens: ClientTokens;
  now(): number;
}): OpenApplication {
  const { outbound, clientTokens } = deps;
  return async (owner, scopes) => {
    const target = await deps.client.findTarget(owner);
    if (target === undefined) throw new HttpError('integration_not_found');
    const { provider, integration } = target;
    const client = await deps.client.clientOf(integration);
    const { variables } = integration;
    const values = templateValues({
      integration: variables,
      integrationSecrets: client.secretVariables,
      gateway: clientValues(provider, client.clientId, client.clientSecrets[0]),
    });
    const application = applicationOf(provider, values);
    const asking = { integration, tokenTarget: () => ({ provider, client, variables }) };

    async function sendOnce(
      request: ApiRequest,
      limits: RequestLimits,
      basePath: string,
    ): Promise<OutboundResponse> {
      const accessToken = await clientTokens.get(asking, scopes);
      const credential = {
        version: 0,
        values: templateValues({ integration: values, credentials: { accessToken } }),
      };
      const at = { ...application, apiBase: { ...application.apiBase, basePath } };
      const answer = await outbound.request({ ...buildApiMessage(request, at, credential), ...limits });
      if (answer.status === UNAUTHORIZED) clientTokens.forget(asking, scopes, accessToken);
      return answer;
    }

    async function send(request: ApiRequest, limits: RequestLimits, basePath: string) {
      const answer = await sendOnce(request, limits, basePath);
      return answer.status === UNAUTHORIZED ? sendOnce(request, limits, basePath) : answer;
    }

    return {
      call: (request, limits) => send(request, limits, application.apiBase.basePath),
      follow(link, request, limits) {
        const url = URL.parse(link);
        if (url?.origin !== application.apiBase.origin) return undefined;
        return send({ ...request, path: url.pathname, query: url.search }, limits, '');
      },
    };
  };
}
