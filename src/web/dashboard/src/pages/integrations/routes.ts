import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';

export const integrationsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations',
    staticData: { title: (texts) => texts.integrations.title },
    component: lazyRouteComponent(() => import('./integrations-page.tsx'), 'IntegrationsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations/new',
    staticData: { title: (texts) => texts.integrations.newTitle },
    component: lazyRouteComponent(() => import('./new-integration-page.tsx'), 'NewIntegrationPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations/$integrationId',
    staticData: { title: (texts) => texts.integrations.title },
    component: lazyRouteComponent(() => import('./integration-page.tsx'), 'IntegrationPage'),
  }),
] as const;
