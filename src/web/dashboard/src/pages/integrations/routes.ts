import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { prefetchCatalog } from './catalog-queries.ts';
import { SetUp } from './set-up-part.ts';

const loadTexts = withTexts('integrations');

export const integrationsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations',
    loader: loadTexts,
    staticData: { title: (texts) => texts.integrations.title },
    component: lazyPart(() => import('./integrations-page.tsx'), 'IntegrationsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations/new',
    loaderDeps: ({ search }: { search: { provider?: string } }) => ({ isChosen: Boolean(search.provider) }),
    loader: ({ context: { queryClient }, params: { projectId }, deps: { isChosen } }) => {
      if (isChosen) void SetUp.preload?.();
      else prefetchCatalog(queryClient, projectId);
      return loadTexts();
    },
    staticData: { title: (texts) => texts.integrations.newTitle },
    component: lazyPart(() => import('./new-integration-page.tsx'), 'NewIntegrationPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations/$integrationId',
    loader: loadTexts,
    staticData: { title: (texts) => texts.integrations.title },
    component: lazyPart(() => import('./integration-page.tsx'), 'IntegrationPage'),
  }),
] as const;
