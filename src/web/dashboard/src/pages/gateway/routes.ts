import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';

export const gatewayRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/gateway',
    loader: withTexts('gateway'),
    staticData: { title: (texts) => texts.gateway.title },
    component: lazyRouteComponent(() => import('./gateway-page.tsx'), 'GatewayPage'),
  }),
] as const;
