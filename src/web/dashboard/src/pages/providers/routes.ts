import { createRoute } from '@tanstack/react-router';
import { signedInRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

export const providersRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/providers/custom',
    loader: withTexts('integrations'),
    staticData: { title: (texts) => texts.integrations.customProviders.title },
    component: lazyPart(() => import('./custom-providers-page.tsx'), 'CustomProvidersPage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/providers/custom/$provider',
    loader: withTexts('integrations'),
    staticData: { title: (texts) => texts.integrations.customProviders.title },
    component: lazyPart(() => import('./custom-provider-page.tsx'), 'CustomProviderPage'),
  }),
] as const;
