import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

export const homeRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/',
    loader: withTexts('home'),
    staticData: { title: (texts) => texts.home.title },
    component: lazyPart(() => import('./home-page.tsx'), 'HomePage'),
  }),
] as const;
