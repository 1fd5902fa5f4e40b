import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';

export const eventsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'events',
    staticData: { title: (texts) => texts.events.title },
    component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'events/$section',
    staticData: { title: (texts) => texts.events.title },
    component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
  }),
] as const;
