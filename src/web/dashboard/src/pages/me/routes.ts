import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../app/parent-routes.tsx';

export const meRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/me',
    staticData: { title: (texts) => texts.me.title },
    component: lazyRouteComponent(() => import('./me-page.tsx'), 'MePage'),
  }),
] as const;
