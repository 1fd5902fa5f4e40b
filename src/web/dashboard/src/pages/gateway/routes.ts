import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../app/parent-routes.tsx';

export const gatewayRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/gateway',
    staticData: { title: (texts) => texts.gateway.title },
    component: lazyRouteComponent(() => import('./gateway-page.tsx'), 'GatewayPage'),
  }),
] as const;
