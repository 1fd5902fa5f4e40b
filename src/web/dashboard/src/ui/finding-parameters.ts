import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../api/queries.ts';
import { useProviderNames } from '../app/providers.ts';

/** What the texts of findings about a failed sign-in name; undefined until the integration is known. */
export function useFindingParameters(integrationId: string | undefined) {
  const { data: integration } = useQuery({
    ...apiQuery('/integrations/{id}', { path: { id: integrationId ?? '' } }),
    enabled: integrationId !== undefined,
  });
  const nameOf = useProviderNames(integration ? [integration.serviceProvider] : []);
  if (integration === undefined) return undefined;
  const { redirectUrl, scopes, optionalScopes, serviceProvider } = integration;
  return {
    provider: nameOf(serviceProvider),
    redirectUrl: redirectUrl ?? '',
    scopes: [...scopes, ...optionalScopes].join(', '),
  };
}
