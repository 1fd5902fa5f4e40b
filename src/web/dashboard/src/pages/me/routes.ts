import { createRoute } from '@tanstack/react-router';
import { signedInRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

export const meRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/me',
    loader: withTexts('me', 'sign-in'),
    staticData: { title: (texts) => texts.me.title },
    component: lazyPart(() => import('./me-page.tsx'), 'MePage'),
  }),
] as const;
