import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';

export const eventsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'events',
    loader: withTexts('calls'),
    staticData: { title: (texts) => texts.events.title },
    component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'events/$section',
    loader: withTexts('calls'),
    staticData: { title: (texts) => texts.events.title },
    component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
  }),
] as const;
