import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';

export const homeRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/',
    loader: withTexts('home'),
    staticData: { title: (texts) => texts.home.title },
    component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
  }),
] as const;
