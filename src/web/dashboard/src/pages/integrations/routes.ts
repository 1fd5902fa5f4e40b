import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

export const integrationsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations',
    loader: withTexts('integrations'),
    staticData: { title: (texts) => texts.integrations.title },
    component: lazyPart(() => import('./integrations-page.tsx'), 'IntegrationsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations/new',
    loader: withTexts('integrations'),
    staticData: { title: (texts) => texts.integrations.newTitle },
    component: lazyPart(() => import('./new-integration-page.tsx'), 'NewIntegrationPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'integrations/$integrationId',
    loader: withTexts('integrations'),
    staticData: { title: (texts) => texts.integrations.title },
    component: lazyPart(() => import('./integration-page.tsx'), 'IntegrationPage'),
  }),
] as const;
