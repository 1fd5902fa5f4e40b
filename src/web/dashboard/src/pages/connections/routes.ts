import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';

export const connectionsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'connections',
    staticData: { title: (texts) => texts.connections.title },
    component: lazyRouteComponent(() => import('./connections-page.tsx'), 'ConnectionsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'connections/$connectionId',
    staticData: { title: (texts) => texts.connections.title },
    component: lazyRouteComponent(() => import('./connection-page.tsx'), 'ConnectionPage'),
  }),
] as const;
