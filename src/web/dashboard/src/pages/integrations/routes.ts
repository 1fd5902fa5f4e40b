import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';

export const integrationsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations',
    loader: withTexts('integrations'),
    staticData: { title: (texts) => texts.integrations.title },
    component: lazyRouteComponent(() => import('./integrations-page.tsx'), 'IntegrationsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations/new',
    loader: withTexts('integrations'),
    staticData: { title: (texts) => texts.integrations.newTitle },
    component: lazyRouteComponent(() => import('./new-integration-page.tsx'), 'NewIntegrationPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations/$integrationId',
    loader: withTexts('integrations'),
    staticData: { title: (texts) => texts.integrations.title },
    component: lazyRouteComponent(() => import('./integration-page.tsx'), 'IntegrationPage'),
  }),
] as const;
