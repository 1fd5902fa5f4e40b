import { createRoute } from '@tanstack/react-router';
import { signedInRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

export const gatewayRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/gateway',
    loader: withTexts('gateway'),
    staticData: { title: (texts) => texts.gateway.title },
    component: lazyPart(() => import('./gateway-page.tsx'), 'GatewayPage'),
  }),
] as const;
