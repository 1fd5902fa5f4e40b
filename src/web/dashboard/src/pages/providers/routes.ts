import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../app/parent-routes.tsx';

export const providersRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/providers/custom',
    staticData: { title: (texts) => texts.customProviders.title },
    component: lazyRouteComponent(() => import('./custom-providers-page.tsx'), 'CustomProvidersPage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/providers/custom/$provider',
    staticData: { title: (texts) => texts.customProviders.title },
    component: lazyRouteComponent(() => import('./custom-provider-page.tsx'), 'CustomProviderPage'),
  }),
] as const;
