import type { Api } from './api.ts';
import type { Integration, IntegrationPage, ProviderFace, ProviderPage } from './wire.ts';

/** The integrations that the project offers, with names and logos; each provider is asked for once. */
export function createIntegrationList(api: Api) {
  const faces = new Map<string, ProviderFace>();

  return async (): Promise<Integration[]> => {
    const listed = await api.list('integrations', {}, (page: IntegrationPage) => page.integrations);
    const ids = new Set(listed.map(({ serviceProvider }) => serviceProvider).filter((id) => !faces.has(id)));
    if (ids.size > 0) {
      const query = { ids: [...ids].join() };
      const found = await api.list('providers', query, (page: ProviderPage) => page.providers);
      for (const { id, name, logoUrl } of found) faces.set(id, { name, logoUrl });
    }
    return listed.map((integration) => {
      const { serviceProvider } = integration;
      const face = faces.get(serviceProvider) ?? { name: serviceProvider, logoUrl: null };
      // An operator may have given it a name and a logo of its own.
      const { name, logoUrl } = integration;
      return { ...integration, name: name ?? face.name, logoUrl: logoUrl ?? face.logoUrl };
    });
  };
}
